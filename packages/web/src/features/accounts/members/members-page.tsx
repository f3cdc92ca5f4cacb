import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { NewInvite } from '@touchstone/sdk'
import { UserPlus, Users } from 'lucide-react'
import { useState } from 'react'
import { pluralize } from '#lib/format.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { Button, buttonLook } from '#ui/button.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { meQuery, useMay } from '../me.ts'
import { InviteDialog, InviteList, ShowInviteDialog } from './invites.tsx'
import { MemberTable } from './member-table.tsx'
import { memberQuery } from './queries.ts'

/** Members of the workspace with roles and last activity, and open invitations. */
export function MembersPage() {
  const me = useQuery(meQuery.current())
  const members = useQuery(memberQuery.list())
  const mayGovern = useMay('admin')
  const [isInviting, setInviting] = useState(false)
  const [invited, setInvited] = useState<NewInvite>()
  const isOpen = me.data?.kind === 'local'

  return (
    <PageFrame
      title="Members"
      actions={
        !isOpen &&
        mayGovern && (
          <Button look="primary" onClick={() => setInviting(true)}>
            <UserPlus size={13} aria-hidden />
            Invite
          </Button>
        )
      }
      status={members.data && <span>{pluralize(members.data.length, 'member')}</span>}
    >
      <div className="min-h-0 flex-1 overflow-auto">
        {members.isPending && <SkeletonRows rows={6} label="Loading members" />}
        {members.isError && (
          <ErrorState title="Could not load members" error={members.error} onRetry={() => void members.refetch()} />
        )}
        {isOpen && members.data?.length === 0 && (
          <EmptyState
            icon={Users}
            title="No accounts yet"
            actions={
              <Link to="/setup" className={buttonLook('primary')}>
                Set up accounts
              </Link>
            }
          >
            Anyone on this machine can use this server. Once you create an account, people sign in and programs need a
            key.
          </EmptyState>
        )}
        {!isOpen && members.data?.length === 0 && (
          <EmptyState icon={Users} title="No accounts yet">
            This server is used with API keys only. Invite a person to give them an account.
          </EmptyState>
        )}
        {members.data && members.data.length > 0 && (
          <>
            {!mayGovern && (
              <p className="border-b border-border bg-sunken px-3 py-2 text-row text-fg-muted">
                Only admins can invite and remove members and change roles.
              </p>
            )}
            <MemberTable members={members.data} meId={me.data?.id ?? undefined} mayGovern={mayGovern} />
          </>
        )}
        {!isOpen && me.data && mayGovern && <InviteList />}
      </div>
      {isInviting && (
        <InviteDialog
          onClose={() => setInviting(false)}
          onInvited={(invite) => {
            setInviting(false)
            setInvited(invite)
          }}
        />
      )}
      {invited && <ShowInviteDialog invite={invited} onClose={() => setInvited(undefined)} />}
    </PageFrame>
  )
}
