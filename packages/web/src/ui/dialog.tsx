import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { cx } from '#lib/browser/cx.ts'

export interface DialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: ReactNode
  description?: ReactNode
  children?: ReactNode
  /** Buttons; the primary one is the last. */
  footer?: ReactNode
  /** @default 'max-w-md' */
  width?: string | undefined
}

/** A modal layer. Esc closes it, and focus returns to what opened it. */
export function Dialog({ open, onOpenChange, title, description, children, footer, width = 'max-w-md' }: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-[rgb(0_0_0/0.4)]" />
        <Radix.Content
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          className={cx(
            'fixed left-1/2 top-[12vh] z-50 flex max-h-[76vh] w-[calc(100vw-24px)] -translate-x-1/2 animate-layer flex-col rounded-dialog border border-border bg-surface shadow-layer',
            width,
          )}
        >
          <header className="px-4 pr-12 pt-3">
            <Radix.Title className="text-heading font-semibold">{title}</Radix.Title>
            {description !== undefined && (
              <Radix.Description className="text-base text-fg-muted">{description}</Radix.Description>
            )}
          </header>
          <div className="min-h-0 flex-1 overflow-auto px-4 py-3">{children}</div>
          {footer !== undefined && (
            <footer className="flex justify-end gap-2 border-t border-border px-4 py-3">{footer}</footer>
          )}
          {/* Last in the order of focus, so that a dialog opens on its first field. */}
          <Radix.Close
            aria-label="Close"
            className="absolute right-3 top-3 inline-flex size-7 items-center justify-center rounded-control text-fg-muted hover:bg-hover"
          >
            <X size={15} aria-hidden />
          </Radix.Close>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
