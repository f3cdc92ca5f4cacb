import { useMutation, useQuery } from '@tanstack/react-query'
import type { Me, Workspace } from '@touchstone/sdk'
import { useState } from 'react'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/dialog.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { accountMutation } from './queries.ts'
import { workspacesQuery } from './workspaces.ts'

/** Workspaces of the user with their role, and a button to leave each. */
export function WorkspaceList({ me }: { me: Me }) {
  const workspaces = useQuery(workspacesQuery.list())
  const [leaving, setLeaving] = useState<Workspace>()
  return (
    <section aria-labelledby="workspaces" className="rounded-card border border-border bg-surface">
      <h2 id="workspaces" className="border-b border-border px-4 py-3 text-form font-semibold">
        Your workspaces
      </h2>
      {workspaces.isPending && <SkeletonRows rows={2} label="Loading your workspaces" />}
      {workspaces.isError && (
        <ErrorState
          compact
          title="Could not load your workspaces"
          error={workspaces.error}
          onRetry={() => void workspaces.refetch()}
        />
      )}
      <ul className="divide-y divide-border">
        {workspaces.data?.map((workspace) => (
          <li key={workspace.id} className="flex min-h-11 items-center gap-3 px-4 py-1.5 text-row">
            <a href={`/o/${workspace.id}`} className="min-w-0 flex-1 truncate font-medium hover:underline">
              {workspace.display_name}
            </a>
            <span className="text-fg-muted">{workspace.role_name}</span>
            <Button aria-label={`Leave ${workspace.display_name}`} onClick={() => setLeaving(workspace)}>
              Leave
            </Button>
          </li>
        ))}
      </ul>
      {leaving && (
        <LeaveDialog
          me={me}
          workspace={leaving}
          isLast={workspaces.data?.length === 1}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </section>
  )
}

interface LeaveDialogProps {
  me: Me
  workspace: Workspace
  isLast: boolean
  onClose: () => void
}

function LeaveDialog({ me, workspace, isLast, onClose }: LeaveDialogProps) {
  const leave = useMutation({
    ...accountMutation.leaveWorkspace(),
    onError: (error) => toast.failure(`Could not leave ${workspace.display_name}`, error),
  })
  return (
    <ConfirmDialog
      title={`Leave ${workspace.display_name}?`}
      action="Leave"
      isBusy={leave.isPending}
      onCancel={onClose}
      onConfirm={() =>
        leave.mutate(workspace.id, {
          onSuccess: () => location.assign(isLast ? '/login' : '/account'),
          onError: onClose,
        })
      }
    >
      <p>
        Your keys and invitations in this workspace are revoked. Programs that use the keys stop working.{' '}
        {isLast && `This is your only workspace, so the account ${me.email} is deleted too. `}
        An admin can invite you again.
      </p>
    </ConfirmDialog>
  )
}
