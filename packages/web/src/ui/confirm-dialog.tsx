import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

export interface ConfirmDialogProps {
  title: string
  /** The verb on the button. */
  action: string
  /** What will happen. */
  children: ReactNode
  /** For what cannot be undone and is large: this has to be typed first. */
  typed?: string
  isBusy?: boolean
  onConfirm: () => void
  onCancel: () => void
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog({ title, action, children, typed, isBusy, onConfirm, onCancel }: ConfirmDialogProps) {
  const [text, setText] = useState('')
  const mayGo = !isBusy && (typed === undefined || text === typed)
  function submit(event: FormEvent) {
    event.preventDefault()
    if (mayGo) onConfirm()
  }
  return (
    <Dialog
      open
      onOpenChange={onCancel}
      title={title}
      footer={
        <>
          <Button onClick={onCancel}>Cancel</Button>
          <Button type="submit" form="confirm" look="danger" disabled={!mayGo}>
            {action}
          </Button>
        </>
      }
    >
      <form id="confirm" onSubmit={submit} className="text-base">
        {children}
        {typed !== undefined && (
          <label className="mt-3 flex flex-col gap-1 text-row text-fg-muted">
            <span>
              Type <strong className="break-all font-semibold text-fg">{typed}</strong> to confirm
            </span>
            <input
              value={text}
              onChange={(event) => setText(event.target.value)}
              autoComplete="off"
              spellCheck={false}
              className="h-8 rounded-control border border-border-strong bg-surface px-2 text-form text-fg coarse:h-10"
            />
          </label>
        )}
      </form>
    </Dialog>
  )
}
