import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { InviteView, Me } from '@touchstone/sdk'
import { accountMutation } from '#data/accounts.ts'
import { describeFailure } from '#lib/errors/describe-failure.ts'
import { DoorFrame, DoorProblem } from '#shell/door-frame.tsx'
import { Button } from '#ui/button.tsx'
import { InviteLead } from './-invite-form.tsx'

export interface JoinWithAccountProps {
  token: string
  invite: InviteView
  me: Me
  onDone: () => void
  onOther: () => void
}

/** Joins a workspace with the account that is signed in. */
export function JoinWithAccount({ token, invite, me, onDone, onOther }: JoinWithAccountProps) {
  const join = useMutation({ ...accountMutation.joinByInvite(useQueryClient(), token) })
  return (
    <DoorFrame title={`Join ${invite.workspace_name}`} lead={<InviteLead invite={invite} />}>
      <DoorProblem>{join.isError && describeFailure(join.error).message}</DoorProblem>
      <Button
        look="primary"
        disabled={join.isPending}
        className="h-9"
        onClick={() => join.mutate(undefined, { onSuccess: onDone })}
      >
        {join.isPending ? 'Joining…' : `Join as ${me.name}`}
      </Button>
      <p className="text-row text-fg-muted">You are signed in as {me.email}.</p>
      <Button onClick={onOther}>Use another account</Button>
    </DoorFrame>
  )
}
