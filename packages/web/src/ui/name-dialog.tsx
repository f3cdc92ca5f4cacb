import { useState } from 'react'
import { FormDialog } from './dialog.tsx'
import { TextField } from './field.tsx'

export interface NameDialogProps {
  title: string
  action: string
  errorTitle: string
  isPending: boolean
  error: unknown
  onSubmit: (name: string) => void
  onClose: () => void
}

/** Asks for the name of a new object. */
export function NameDialog({ onSubmit, ...dialog }: NameDialogProps) {
  const [text, setText] = useState('')
  const trimmed = text.trim()
  return (
    <FormDialog {...dialog} canSubmit={trimmed !== ''} onSubmit={() => onSubmit(trimmed)}>
      <TextField label="Name" value={text} maxLength={1000} onChange={setText} autoComplete="off" spellCheck={false} />
    </FormDialog>
  )
}
