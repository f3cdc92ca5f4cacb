import { useMutation, useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { Check, Plus } from 'lucide-react'
import { useState } from 'react'
import { meQuery, useMay } from '#features/accounts/me.ts'
import { workspaceMutation, workspacesQuery } from '#features/accounts/workspaces.ts'
import { toWorkspacePath } from '#lib/areas.ts'
import { FormDialog } from '#ui/dialog.tsx'
import { TextField } from '#ui/field.tsx'
import { MenuItem, MenuLabel, MenuLine } from '#ui/menu.tsx'

export interface WorkspaceMenuProps {
  tenant: string
  onCreate: () => void
}

/** The workspaces of the caller as links that reload the page, so that no data of one workspace is shown in another. */
export function WorkspaceMenu({ tenant, onCreate }: WorkspaceMenuProps) {
  const workspaces = useQuery(workspacesQuery.list())
  const me = useQuery(meQuery.current())
  const pathname = useLocation({ select: (location) => location.pathname })
  const mayCreate = useMay('admin') && me.data?.kind !== 'key'
  return (
    <>
      <MenuLabel>Workspaces</MenuLabel>
      {workspaces.isPending && <MenuLabel>Loading…</MenuLabel>}
      {workspaces.isError && <MenuLabel>Could not load the workspaces.</MenuLabel>}
      {workspaces.data?.map(({ id, display_name, role_name }) => (
        <MenuItem key={id} asChild>
          <a href={toWorkspacePath(pathname, id)} aria-current={id === tenant ? 'true' : undefined}>
            <span className="size-3.5 shrink-0">{id === tenant && <Check size={14} aria-hidden />}</span>
            <span className="min-w-0 max-w-60 flex-1 truncate">{display_name}</span>
            <span className="text-meta text-fg-subtle">{role_name}</span>
          </a>
        </MenuItem>
      ))}
      {mayCreate && (
        <>
          <MenuLine />
          <MenuItem icon={<Plus size={14} aria-hidden />} onSelect={onCreate}>
            Create workspace
          </MenuItem>
        </>
      )}
    </>
  )
}

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
      errorTitle="Could not create the workspace"
      onSubmit={() => create.mutate(name.trim())}
      onClose={onClose}
    >
      <TextField label="Name" maxLength={200} autoComplete="off" value={name} onChange={setName} />
    </FormDialog>
  )
}
