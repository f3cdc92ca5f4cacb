import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { InviteForm, JoinWithAccount } from '#features/accounts/invite-form.tsx'
import { meQuery } from '#features/accounts/me.ts'
import { inviteQuery } from '#features/accounts/queries.ts'
import { readLastWorkspaceId } from '#lib/api/session.ts'
import { SignInFrame } from '#shell/frame/sign-in-frame.tsx'
import { buttonLook } from '#ui/button.tsx'
import { ErrorState } from '#ui/states.tsx'

export const Route = createFileRoute('/invite/$token')({ component: InvitePage })

/** Accepts an invitation with the signed-in account, another account or a new one. */
function InvitePage() {
  const { token } = Route.useParams()
  const navigate = Route.useNavigate()
  const invite = useQuery(inviteQuery.read(token))
  // Without an earlier sign-in in this browser the request would be refused.
  const me = useQuery({ ...meQuery.current(), enabled: readLastWorkspaceId() !== undefined })
  const [isOther, setOther] = useState(false)
  if (invite.isError) {
    return (
      <SignInFrame title="Invitation">
        <ErrorState title="This invitation is not valid" error={invite.error} />
        <p className="text-base text-fg-muted">Ask the sender for a new one.</p>
        <Link to="/login" className={`${buttonLook()} self-start`}>
          Sign in
        </Link>
      </SignInFrame>
    )
  }
  if (invite.data === undefined) return null
  const onDone = () => void navigate({ to: '/', replace: true })
  if (me.data?.kind === 'person' && !isOther && [null, me.data.email].includes(invite.data.email)) {
    const others = () => setOther(true)
    return <JoinWithAccount token={token} invite={invite.data} me={me.data} onDone={onDone} onOther={others} />
  }
  return <InviteForm token={token} invite={invite.data} onDone={onDone} />
}
