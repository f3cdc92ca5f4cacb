import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { workspaceMutation } from '#data/workspaces.ts'
import { FormDialog } from '#ui/form-dialog.tsx'
import { CONTROL, FormField } from '#ui/form-field.tsx'

/** Creates a workspace and opens it. */
export function CreateWorkspaceDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const create = useMutation({
    ...workspaceMutation.create(),
    onSuccess: ({ id }) => location.assign(`/o/${id}`),
  })
  return (
    <FormDialog
      title="Create workspace"
      description="A workspace has its own projects, members, API keys and settings. You become its admin."
      action="Create workspace"
      canSubmit={name.trim() !== ''}
      isPending={create.isPending || create.isSuccess}
      error={create.error}
      errorTitle="Couldn't create the workspace"
      onSubmit={() => create.mutate(name.trim())}
      onClose={onClose}
    >
      <FormField label="Name">
        {(props) => (
          <input
            {...props}
            className={CONTROL}
            maxLength={200}
            autoComplete="off"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </FormField>
    </FormDialog>
  )
}
