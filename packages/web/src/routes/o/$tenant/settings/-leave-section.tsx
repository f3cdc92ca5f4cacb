import { useMutation } from '@tanstack/react-query'
import type { Me, WorkspaceSettings } from '@touchstone/sdk'
import { useState } from 'react'
import { accountMutation } from '#data/accounts.ts'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { toast } from '#ui/toast.tsx'

/** The way out for a person: their role here, and leaving. */
export function LeaveSection({ me, workspace }: { me: Me; workspace: WorkspaceSettings }) {
  const [isAsking, setAsking] = useState(false)
  const leave = useMutation({
    ...accountMutation.leaveWorkspace(),
    onError: (error) => toast.failure(`You did not leave ${workspace.display_name}.`, error),
    onSettled: () => setAsking(false),
  })
  return (
    <section aria-label="Leave" className="rounded-card border border-border bg-surface">
      <div className="flex flex-wrap items-center gap-3 px-4 py-3">
        <p className="min-w-0 flex-1 text-row text-fg-muted">
          Leaving ends your keys and invites here. Another admin can invite you again.
        </p>
        <Button look="danger" onClick={() => setAsking(true)}>
          Leave workspace
        </Button>
      </div>
      {isAsking && (
        <ConfirmDialog
          title={`Leave ${workspace.display_name}?`}
          action="Leave workspace"
          isBusy={leave.isPending}
          onCancel={() => setAsking(false)}
          onConfirm={() => leave.mutate(undefined, { onSuccess: () => location.assign('/') })}
        >
          <p>
            Your keys here are revoked, and programs that use them are refused. If this is your only workspace, the
            account {me.email} ends with it.
          </p>
        </ConfirmDialog>
      )}
    </section>
  )
}
