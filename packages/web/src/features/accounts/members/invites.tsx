import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { NewInvite, Role } from '@touchstone/sdk'
import { useState } from 'react'
import { parseRefusal } from '#lib/errors.ts'
import { formatAbsoluteTime } from '#lib/format.ts'
import { getRoleLabel } from '#lib/roles.ts'
import { Button } from '#ui/button.tsx'
import { Dialog, FormDialog } from '#ui/dialog.tsx'
import { TextField } from '#ui/field.tsx'
import { Snippet } from '#ui/snippet.tsx'
import { ErrorState } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { memberMutation, memberQuery } from './queries.ts'
import { RoleField } from './role-field.tsx'

export interface InviteDialogProps {
  onClose: () => void
  onInvited: (invite: NewInvite) => void
}

export function InviteDialog({ onClose, onInvited }: InviteDialogProps) {
  const invite = useMutation({ ...memberMutation.invite(useQueryClient()) })
  const [role, setRole] = useState<Role>('member')
  const [email, setEmail] = useState('')
  const refusal = invite.isError ? parseRefusal(invite.error) : undefined
  return (
    <FormDialog
      title="Invite member"
      description="Creates a link for one person. It works once and expires after seven days."
      action="Create link"
      errorTitle="Could not create the link"
      isPending={invite.isPending}
      error={refusal?.fields.email === undefined ? invite.error : undefined}
      onSubmit={() => invite.mutate({ role, email: email.trim() || undefined }, { onSuccess: onInvited })}
      onClose={onClose}
    >
      <RoleField value={role} onChange={setRole} />
      <TextField
        label="Email (optional)"
        hint="Only an account with this address can use the link."
        error={refusal?.fields.email}
        type="email"
        autoComplete="off"
        value={email}
        onChange={setEmail}
      />
    </FormDialog>
  )
}

/** Shows the link; it is not stored and cannot be shown again. */
export function ShowInviteDialog({ invite, onClose }: { invite: NewInvite; onClose: () => void }) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Copy the invitation link"
      description="Copy this link now. You won't see it again."
      width="max-w-xl"
      footer={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <Snippet label="Invitation" text={`${location.origin}/invite/${invite.token}`} />
        <p className="text-row text-fg-muted">
          Grants {invite.email ?? 'one person'} the role {getRoleLabel(invite.role)}. Works once, until{' '}
          {formatAbsoluteTime(invite.expires_at).slice(0, -4)}.
        </p>
      </div>
    </Dialog>
  )
}

/** Invitations that are still open. */
export function InviteList() {
  const invites = useQuery(memberQuery.invites())
  const revocation = memberMutation.revokeInvite(useQueryClient())
  const revoke = useMutation({
    ...revocation,
    onError: (error) => toast.failure('Could not revoke the invitation', error),
    onSuccess: () => {
      toast.done('Revoked invitation')
      return revocation.onSuccess()
    },
  })
  if (invites.isError) {
    return (
      <ErrorState title="Could not load invitations" error={invites.error} onRetry={() => void invites.refetch()} />
    )
  }
  if (invites.data === undefined || invites.data.length === 0) return null
  return (
    <section aria-labelledby="invites" className="p-3">
      <h2 id="invites" className="text-base font-semibold">
        Open invitations
      </h2>
      <ul>
        {invites.data.map((invite) => {
          const whom = invite.email ?? 'Anyone with the link'
          return (
            <li
              key={invite.id}
              className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 border-b border-border py-1.5 text-row"
            >
              <span className="font-medium break-all">{whom}</span>
              <span className="min-w-0 flex-1 text-fg-muted">
                as {getRoleLabel(invite.role)}
                {invite.created_by_name !== null && `, by ${invite.created_by_name}`}, until{' '}
                {formatAbsoluteTime(invite.expires_at).slice(0, -4)}
              </span>
              <Button
                look="danger"
                onClick={() => revoke.mutate(invite.id)}
                aria-label={`Revoke the invitation of ${whom}`}
              >
                Revoke
              </Button>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
