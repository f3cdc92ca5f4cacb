import { FormDialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { useEdit } from './use-edit.tsx'

interface RenameDialogProps {
  /** What is renamed, for messages: `project`. */
  noun: string
  name: string
  maxLength?: number
  /** Reads the name again, after others have changed it. */
  read: () => Promise<string>
  /** @param expected  the name that is replaced; the server refuses the change when it is another one by now */
  save: (name: string, expected: string) => Promise<void>
  /** Puts a refusal in words. @default as it is */
  toError?: (error: unknown) => unknown
  onClose: () => void
}

/** Asks for the new name of an object. When others have renamed it meanwhile, both names are shown. */
export function RenameDialog({
  noun,
  name,
  maxLength = 1000,
  read,
  save,
  toError = (error) => error,
  onClose,
}: RenameDialogProps) {
  const edit = useEdit({
    what: `this ${noun}`,
    labels: { name: 'Name' },
    stored: name,
    toDraft: (stored) => ({ name: stored }),
    start: { name },
    read,
    save: async (draft, base = name) => {
      await save(draft.name.trim(), base)
      onClose()
    },
  })
  const typed = edit.value.name.trim()
  return (
    <FormDialog
      title={`Rename ${name}`}
      action="Rename"
      errorTitle={`Could not rename the ${noun}`}
      canSubmit={typed !== '' && typed !== edit.base && !edit.isOvertaken}
      isPending={edit.isPending}
      error={toError(edit.error)}
      onSubmit={() => void edit.submit()}
      onClose={onClose}
    >
      {edit.conflict}
      <TextField
        label="Name"
        value={edit.value.name}
        maxLength={maxLength}
        autoComplete="off"
        spellCheck={false}
        onFocus={(event) => event.target.select()}
        onChange={(next) => edit.set({ name: next })}
      />
    </FormDialog>
  )
}
