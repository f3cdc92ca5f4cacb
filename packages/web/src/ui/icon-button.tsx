import type { LucideIcon } from 'lucide-react'
import type { ComponentProps } from 'react'
import { cx } from '#lib/browser/cx.ts'
import { Tooltip } from './tooltip.tsx'

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  icon: LucideIcon
  /** Names the button for screen readers and in its tooltip. */
  label: string
  /** Shortcut shown in the tooltip. */
  keys?: string | undefined
  /** A toggle's state; shown and announced. */
  pressed?: boolean | undefined
}

/** A button that is only an icon, at least 24 px, always with a name. */
export function IconButton({ icon: Icon, label, keys, pressed, className, type = 'button', ...rest }: IconButtonProps) {
  return (
    <Tooltip label={label} keys={keys}>
      <button
        type={type}
        aria-label={label}
        aria-pressed={pressed}
        className={cx(
          'inline-flex size-7 shrink-0 items-center justify-center rounded-control text-fg-muted hover:bg-hover hover:text-fg disabled:opacity-50 data-[state=open]:bg-hover coarse:size-10',
          pressed && 'bg-selected text-fg',
          className,
        )}
        {...rest}
      >
        <Icon size={15} strokeWidth={1.75} aria-hidden />
      </button>
    </Tooltip>
  )
}
