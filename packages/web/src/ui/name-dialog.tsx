import { useState } from 'react'
import { FormDialog } from './dialog.tsx'
import { TextField } from './field.tsx'

export interface NameDialogProps {
  title: string
  action: string
  errorTitle: string
  /** @default '' */
  name?: string
  isPending: boolean
  error: unknown
  onSubmit: (name: string) => void
  onClose: () => void
}

/** Asks for the name of a new object, or for a new name. */
export function NameDialog({ name = '', onSubmit, ...dialog }: NameDialogProps) {
  const [text, setText] = useState(name)
  const trimmed = text.trim()
  return (
    <FormDialog {...dialog} canSubmit={trimmed !== '' && trimmed !== name} onSubmit={() => onSubmit(trimmed)}>
      <TextField
        label="Name"
        value={text}
        maxLength={1000}
        onChange={setText}
        onFocus={(event) => event.target.select()}
        autoComplete="off"
        spellCheck={false}
      />
    </FormDialog>
  )
}
