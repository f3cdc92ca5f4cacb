import { type FormEvent, useState } from 'react'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { ErrorState } from '#ui/error-state.tsx'

export interface NameDialogProps {
  title: string
  action: string
  /** @default '' */
  name?: string
  isBusy: boolean
  error: unknown
  onSubmit: (name: string) => void
  onClose: () => void
}

/** Asks for a project's name. */
export function NameDialog({ title, action, name = '', isBusy, error, onSubmit, onClose }: NameDialogProps) {
  const [text, setText] = useState(name)
  const wanted = text.trim()
  const mayGo = !isBusy && wanted !== '' && wanted !== name
  function submit(event: FormEvent) {
    event.preventDefault()
    if (mayGo) onSubmit(wanted)
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="name" look="primary" disabled={!mayGo}>
            {action}
          </Button>
        </>
      }
    >
      <form id="name" onSubmit={submit} className="flex flex-col gap-3">
        {error !== null && <ErrorState compact title={`${action} failed`} error={error} />}
        <label className="flex flex-col gap-1 text-row text-fg-muted">
          Name
          <input
            value={text}
            maxLength={1000}
            onChange={(event) => setText(event.target.value)}
            onFocus={(event) => event.target.select()}
            autoComplete="off"
            spellCheck={false}
            className="h-8 rounded-control border border-border-strong bg-surface px-2 text-form text-fg coarse:h-10"
          />
        </label>
      </form>
    </Dialog>
  )
}
