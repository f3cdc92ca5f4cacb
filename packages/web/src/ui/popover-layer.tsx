import { Popover as Radix } from 'radix-ui'
import { cx } from '#lib/browser/cx.ts'
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
