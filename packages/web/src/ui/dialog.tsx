import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type FormEvent, type ReactNode, useEffect, useId, useState } from 'react'
import { cx } from '#lib/browser.ts'
import { Button } from './button.tsx'
import { pressEnter, STEPPED_FORM } from './enter-key.ts'
import { CONTROL } from './field.tsx'
import { ErrorState } from './states.tsx'
import { Tooltip } from './tooltip.tsx'

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
        <Radix.Overlay className="fixed inset-0 z-50 bg-[rgb(0_0_0/0.4)]" />
        <Radix.Content
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          className={cx(
            'fixed left-1/2 top-[12vh] z-50 flex max-h-[76vh] w-[calc(100vw-24px)] -translate-x-1/2 animate-layer flex-col rounded-dialog border border-border bg-surface shadow-layer',
            width,
          )}
        >
          <FocusReturn />
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
            className="absolute right-3 top-3 inline-flex size-7 items-center justify-center rounded-control text-fg-muted hover:bg-hover coarse:right-1.5 coarse:top-1.5 coarse:size-10"
          >
            <X size={15} aria-hidden />
          </Radix.Close>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/**
 * Gives the focus back to the element that had it when this was mounted, unless it has moved on to another one. Radix
 * does so for dialogs with a trigger of its own only. It belongs inside the layer that takes the focus. For a layer opened
 * from a menu, which closes with that, the focus returns to the button of the menu.
 */
export function FocusReturn() {
  const [opener] = useState(findOpener)
  useEffect(
    () => () => {
      setTimeout(() => {
        const isLost = document.activeElement === null || document.activeElement === document.body
        if (isLost && opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true })
      })
    },
    [opener],
  )
  return null
}

function findOpener(): Element | null {
  const active = document.activeElement
  const menuButtonId = active?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  return (menuButtonId && document.getElementById(menuButtonId)) || active
}

export interface FormDialogProps extends Pick<DialogProps, 'title' | 'description' | 'width'> {
  /** The fields. The first one has the focus when the dialog opens. */
  children: ReactNode
  /** Label of the submit button, a verb: "Create key". */
  action: ReactNode
  /** `danger` for actions that cannot be undone. @default 'primary' */
  look?: 'primary' | 'danger'
  /** False while a required field is empty or invalid. @default true */
  canSubmit?: boolean
  /** Whether a submit is in progress. The form cannot be submitted twice. */
  isPending?: boolean | undefined
  /** Why the last submit failed. Leave it out for an error that a field shows. */
  error?: unknown
  /** What failed: "Could not create the key". @default the action and "failed" */
  errorTitle?: string
  /** @default 'Cancel' */
  cancelLabel?: string
  /** Called by the cancel button. @default onClose */
  onCancel?: () => void
  onSubmit: () => void
  /** Called by Esc, by the close button and by a click outside. */
  onClose: () => void
}

/**
 * A dialog with a form: fields, a submit button with its pending and failed state, and a cancel button. Enter goes from field
 * to field and submits in the last one; Ctrl+Enter submits from any field.
 */
export function FormDialog(props: FormDialogProps) {
  const { title, description, width, children, action, look = 'primary', canSubmit = true, isPending = false } = props
  const {
    error,
    errorTitle = `${action} failed`,
    cancelLabel = 'Cancel',
    onSubmit,
    onClose,
    onCancel = onClose,
  } = props
  const formId = useId()
  const isEnabled = canSubmit && !isPending
  function submit(event: FormEvent) {
    event.preventDefault()
    // React events bubble through portals: a form around this dialog must not be submitted too.
    event.stopPropagation()
    if (isEnabled) onSubmit()
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={description}
      width={width}
      footer={
        <>
          <Button onClick={onCancel}>{cancelLabel}</Button>
          <Tooltip label={typeof action === 'string' ? action : 'Save'} keys="mod+enter">
            <Button type="submit" form={formId} look={look} disabled={!isEnabled} aria-busy={isPending}>
              {action}
            </Button>
          </Tooltip>
        </>
      }
    >
      <form
        {...STEPPED_FORM}
        id={formId}
        noValidate
        onSubmit={submit}
        onKeyDown={(event) => pressEnter(event, () => isEnabled && onSubmit())}
        className="flex flex-col gap-3 text-base"
      >
        {error != null && <ErrorState compact title={errorTitle} error={error} />}
        {children}
      </form>
    </Dialog>
  )
}

interface ConfirmDialogProps {
  title: string
  /** The verb on the button. */
  action: string
  /** The consequences. */
  children: ReactNode
  /** Text that the user has to type first, for large actions that cannot be undone. */
  typed?: string
  isBusy?: boolean
  onConfirm: () => void
  onCancel: () => void
}

/** Asks before an action that cannot be undone. */
export function ConfirmDialog({ title, action, children, typed, isBusy, onConfirm, onCancel }: ConfirmDialogProps) {
  const [text, setText] = useState('')
  return (
    <FormDialog
      title={title}
      action={action}
      look="danger"
      canSubmit={typed === undefined || text === typed}
      isPending={isBusy}
      onSubmit={onConfirm}
      onClose={onCancel}
    >
      <div>{children}</div>
      {typed !== undefined && (
        <label className="flex flex-col gap-1 text-row text-fg-muted">
          <span>
            Type <strong className="break-all font-semibold text-fg">{typed}</strong> to confirm
          </span>
          <input
            value={text}
            onChange={(event) => setText(event.target.value)}
            autoComplete="off"
            spellCheck={false}
            className={CONTROL}
          />
        </label>
      )}
    </FormDialog>
  )
}
