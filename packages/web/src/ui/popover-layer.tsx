import { Popover as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { cx } from '#lib/browser.ts'
import type { PopoverProps } from './popover.tsx'

/** The part of `Popover` that uses Radix, loaded on hover or focus. It is open when it mounts. */
export function PopoverLayer({
  trigger,
  label,
  children,
  align = 'start',
  open,
  onOpenChange,
  className,
}: PopoverProps) {
  return (
    <Radix.Root
      {...(open === undefined ? { defaultOpen: true } : { open })}
      {...(onOpenChange === undefined ? {} : { onOpenChange })}
    >
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          // The trigger may be scrolled out of view in a toolbar; the layer stays visible.
          sticky="always"
          className={cx(
            'z-70 max-h-[var(--radix-popover-content-available-height)] max-w-[calc(100vw-16px)] animate-layer overflow-auto rounded-card border border-border bg-surface p-2 shadow-layer',
            className,
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

export interface PopoverAtProps {
  /** Names the layer for screen readers. */
  label: string
  /** Where it points to, in px from the corner of the positioned element around it. */
  x: number
  y: number
  onClose: () => void
  /** Which side of the layer is at the point. @default 'center' */
  align?: 'start' | 'center'
  children: ReactNode
}

/** An open layer at a point of a picture. Esc or a press outside closes it. */
export function PopoverAt({ label, x, y, onClose, align = 'center', children }: PopoverAtProps) {
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Anchor asChild>
        <span aria-hidden className="pointer-events-none absolute size-px" style={{ left: x, top: y }} />
      </Radix.Anchor>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className="z-70 max-w-[calc(100vw-16px)] animate-layer rounded-card border border-border bg-surface p-2 shadow-layer"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
