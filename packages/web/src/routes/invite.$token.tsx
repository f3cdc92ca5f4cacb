import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link } from '@tanstack/react-router'
import { inviteQuery } from '#data/accounts.ts'
import { DoorFrame } from '#shell/door-frame.tsx'
import { buttonLook } from '#ui/button.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { InviteForm } from './-invite-form.tsx'

export const Route = createFileRoute('/invite/$token')({ component: InvitePage })

/** Whoever holds the link makes an account with it, once. */
function InvitePage() {
  const { token } = Route.useParams()
  const navigate = Route.useNavigate()
  const invite = useQuery(inviteQuery.read(token))
  if (invite.isError) {
    return (
      <DoorFrame title="Invitation">
        <ErrorState title="This invitation does not work" error={invite.error} />
        <p className="text-base text-fg-muted">Ask whoever sent it for another one.</p>
        <Link to="/login" className={`${buttonLook()} self-start`}>
          Sign in
        </Link>
      </DoorFrame>
    )
  }
  if (invite.data === undefined) return null
  return <InviteForm token={token} invite={invite.data} onDone={() => void navigate({ to: '/', replace: true })} />
}
