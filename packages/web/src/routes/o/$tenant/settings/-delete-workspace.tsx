import { useMutation, useQuery } from '@tanstack/react-query'
import type { WorkspaceSettings } from '@touchstone/sdk'
import { useState } from 'react'
import { meQuery, useMay } from '#data/me.ts'
import { workspaceMutation, workspacesQuery } from '#data/workspaces.ts'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { DangerZone } from '#ui/danger-zone.tsx'
import { toast } from '#ui/toast.tsx'

/** What cannot be undone: the workspace goes, and the page continues in another one. */
export function DeleteWorkspace({ workspace }: { workspace: WorkspaceSettings }) {
  const isAdmin = useMay('admin')
  const isServerAdmin = useQuery(meQuery.current()).data?.is_server_admin === true
  const listed = useQuery(workspacesQuery.list())
  const [isAsking, setAsking] = useState(false)
  const next = listed.data?.find(({ id }) => id !== workspace.id)
  const isOnlyOne = isServerAdmin && listed.data !== undefined && next === undefined
  const remove = useMutation({
    ...workspaceMutation.delete(),
    // A page speaks to one workspace in its life.
    onSuccess: () => location.assign(next === undefined ? '/' : `/o/${next.id}`),
    onError: (cause) => {
      setAsking(false)
      toast.failure(`${workspace.display_name} could not be deleted.`, cause)
    },
  })
  const lockedBecause = !isAdmin
    ? 'Admins delete the workspace.'
    : isOnlyOne
      ? 'This is your only workspace. Create another one before you delete it.'
      : undefined
  return (
    <DangerZone
      explanation={
        <>
          Deletes the workspace with its projects, traces, datasets, prompts, keys and public links, for all of its
          members. This cannot be undone.
          {lockedBecause !== undefined && <span className="mt-1 block text-fg">{lockedBecause}</span>}
        </>
      }
      action={
        <Button look="danger" disabled={lockedBecause !== undefined} onClick={() => setAsking(true)}>
          Delete this workspace
        </Button>
      }
    >
      {isAsking && (
        <ConfirmDialog
          title={`Delete ${workspace.display_name}?`}
          action="Delete workspace"
          typed={workspace.display_name}
          isBusy={remove.isPending}
          onCancel={() => setAsking(false)}
          onConfirm={() => remove.mutate(workspace.id)}
        >
          Everything in it goes: projects, traces, datasets, prompts, queues and dashboards. Its keys and public links
          stop working at once, and members without another workspace lose their account. Backups that were made before
          keep a copy.
        </ConfirmDialog>
      )}
    </DangerZone>
  )
}
