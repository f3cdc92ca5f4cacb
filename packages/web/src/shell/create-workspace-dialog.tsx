import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { workspaceMutation } from '#data/workspaces.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { CONTROL, FormField } from '#ui/form-field.tsx'

/** Asks for a name and goes to the new workspace. */
export function CreateWorkspaceDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const create = useMutation({
    ...workspaceMutation.create(),
    onSuccess: ({ id }) => location.assign(`/o/${id}`),
  })
  const wanted = name.trim()
  const mayGo = wanted !== '' && !create.isPending && !create.isSuccess
  function submit(event: FormEvent) {
    event.preventDefault()
    if (mayGo) create.mutate(wanted)
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Create workspace"
      description="It has projects, members, keys and settings of its own. You become its admin."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="create-workspace" look="primary" disabled={!mayGo}>
            Create workspace
          </Button>
        </>
      }
    >
      <form id="create-workspace" onSubmit={submit} className="flex flex-col gap-3">
        {create.error !== null && <ErrorState compact title="The workspace was not created" error={create.error} />}
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
      </form>
    </Dialog>
  )
}
