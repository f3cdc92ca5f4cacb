import { type ReactNode, useState } from 'react'
import { FormDialog } from './form-dialog.tsx'
import { CONTROL } from './form-field.tsx'

export interface ConfirmDialogProps {
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
