import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { memberMutation, memberQuery } from '#data/members.ts'
import { labelOfRole } from '#lib/accounts/roles.ts'
import { formatAbsoluteTime } from '#lib/format/format.ts'
import { Button } from '#ui/button.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { toast } from '#ui/toast.tsx'

/** Invitations that nobody has used yet. */
export function InviteList() {
  const invites = useQuery(memberQuery.invites())
  const revoke = useMutation({
    ...memberMutation.revokeInvite(useQueryClient()),
    onError: (error) => toast.failure('The invitation was not revoked.', error),
    onSuccess: () => toast.done('Revoked the invitation'),
  })
  if (invites.isError) {
    return (
      <ErrorState title="Could not load the invitations" error={invites.error} onRetry={() => void invites.refetch()} />
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
          const whom = invite.email ?? 'anybody with the link'
          return (
            <li
              key={invite.id}
              className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 border-b border-border py-1.5 text-row"
            >
              <span className="font-medium break-all">{whom}</span>
              <span className="min-w-0 flex-1 text-fg-muted">
                as {labelOfRole(invite.role)}
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
