import { Popover as Radix } from 'radix-ui'
import { cx } from '#lib/browser/cx.ts'
import type { PopoverProps } from './popover.tsx'

/** The part of `Popover` that knows Radix; loaded on approach. Opens as it mounts. */
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
          // A toolbar that scrolls sideways may hold its opener out of view; the layer stays on the page.
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
