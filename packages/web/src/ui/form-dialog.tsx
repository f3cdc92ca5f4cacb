import { type FormEvent, type ReactNode, useId } from 'react'
import { Button } from './button.tsx'
import { Dialog, type DialogProps } from './dialog.tsx'
import { ErrorState } from './error-state.tsx'

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
  /** What failed: "Couldn't create the key". @default the action and "failed" */
  errorTitle?: string
  /** @default 'Cancel' */
  cancelLabel?: string
  /** Called by the cancel button. @default onClose */
  onCancel?: () => void
  onSubmit: () => void
  /** Called by Esc, by the close button and by a click outside. */
  onClose: () => void
}

/** A dialog with a form: fields, a submit button with its pending and failed state, and a cancel button. */
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
          <Button type="submit" form={formId} look={look} disabled={!isEnabled} aria-busy={isPending}>
            {action}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit} className="flex flex-col gap-3 text-base">
        {error != null && <ErrorState compact title={errorTitle} error={error} />}
        {children}
      </form>
    </Dialog>
  )
}
