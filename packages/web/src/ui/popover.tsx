import { Popover as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { cx } from '#lib/cx.ts'

export interface PopoverProps {
  /** The button that opens it; one element that can hold a ref. */
  trigger: ReactNode
  /** Names the layer for screen readers. */
  label: string
  children: ReactNode
  align?: 'start' | 'center' | 'end'
  open?: boolean
  onOpenChange?: (open: boolean) => void
  className?: string
}

/** A layer anchored to its opener, for small forms and lists. */
export function Popover({ trigger, label, children, align = 'start', open, onOpenChange, className }: PopoverProps) {
  return (
    <Radix.Root {...(open === undefined ? {} : { open })} {...(onOpenChange === undefined ? {} : { onOpenChange })}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className={cx(
            'z-50 max-h-[var(--radix-popover-content-available-height)] max-w-[calc(100vw-16px)] animate-layer overflow-auto rounded-card border border-border bg-surface p-2 shadow-layer',
            className,
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
