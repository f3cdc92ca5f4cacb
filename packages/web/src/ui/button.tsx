import type { LucideIcon } from 'lucide-react'
import type { ComponentProps } from 'react'
import { cx } from '#lib/browser.ts'
import { Tooltip } from './tooltip.tsx'

export type ButtonLook = 'plain' | 'primary' | 'quiet' | 'danger'

export interface ButtonProps extends ComponentProps<'button'> {
  /** @default 'plain' */
  look?: ButtonLook
}

/** The button of forms and toolbars: 28 px high, 40 px on touch screens. */
export function Button({ look = 'plain', className, type = 'button', ...rest }: ButtonProps) {
  return <button type={type} className={cx(buttonLook(look), className)} {...rest} />
}

/** The same look for links: `<Link className={buttonLook('primary')}>`. */
export function buttonLook(look: ButtonLook = 'plain'): string {
  return cx(BASE, LOOKS[look])
}

const BASE =
  'inline-flex h-7 shrink-0 items-center justify-center gap-1.5 whitespace-nowrap rounded-control px-2.5 text-row font-medium select-none disabled:opacity-50 coarse:h-10'

const LOOKS: Record<ButtonLook, string> = {
  plain: 'border border-border bg-surface text-fg hover:bg-hover data-[state=open]:bg-hover',
  primary: 'border border-accent bg-accent text-on-accent hover:brightness-110',
  quiet: 'text-fg-muted hover:bg-hover hover:text-fg data-[state=open]:bg-hover',
  danger: 'border border-border bg-surface text-err hover:bg-del-bg hover:text-fg',
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
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
