import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Member, Role } from '@touchstone/sdk'
import { useState } from 'react'
import { formatRelativeTime } from '#lib/format.ts'
import { getRoleLabel, ROLES } from '#lib/roles.ts'
import { Button } from '#ui/button.tsx'
import { CardRow, CardTable } from '#ui/card-table.tsx'
import { ConfirmDialog } from '#ui/dialog.tsx'
import { Select } from '#ui/select.tsx'
import { toast } from '#ui/toast.tsx'
import { memberMutation } from './queries.ts'

export interface MemberTableProps {
  members: readonly Member[]
  /** Id of the signed-in member. */
  meId: string | undefined
  mayGovern: boolean
}

export function MemberTable({ members, meId, mayGovern }: MemberTableProps) {
  const [removing, setRemoving] = useState<Member>()
  const changeRole = useMutation({
    ...memberMutation.changeRole(useQueryClient()),
    onError: (error) => toast.failure('Could not change the role', error),
    onSuccess: (member) => toast.done(`${member.name} is now ${getRoleLabel(member.role)}`),
  })
  const isLastAdmin = (member: Member) =>
    member.role === 'admin' && members.filter(({ role }) => role === 'admin').length === 1

  return (
    <>
      <CardTable columns={['Name', 'Email', 'Role', 'Last seen']} hasActions>
        {members.map((member) => (
          <CardRow key={member.id}>
            <td className="px-3 font-medium max-sm:w-full max-sm:p-0 max-sm:text-base">
              {member.name}
              {member.id === meId && <span className="ml-2 font-normal text-fg-muted">you</span>}
            </td>
            <td className="px-3 text-fg-muted max-sm:w-full max-sm:break-all max-sm:p-0">{member.email}</td>
            <td className="px-3 max-sm:p-0">
              <RoleCell
                member={member}
                why={mayGovern ? (isLastAdmin(member) ? LAST_ADMIN_HINT : undefined) : 'Only admins can change roles.'}
                onChange={(role) => changeRole.mutate({ id: member.id, role })}
              />
            </td>
            <td className="px-3 text-fg-muted max-sm:p-0">
              {member.last_seen_at ? `seen ${formatRelativeTime(member.last_seen_at)}` : 'never'}
            </td>
            <td className="px-3 text-right max-sm:ml-auto max-sm:p-0">
              {mayGovern && (
                <Button
                  look="danger"
                  disabled={isLastAdmin(member)}
                  title={isLastAdmin(member) ? LAST_ADMIN_HINT : undefined}
                  onClick={() => setRemoving(member)}
                  aria-label={`Remove ${member.name}`}
                >
                  Remove
                </Button>
              )}
            </td>
          </CardRow>
        ))}
      </CardTable>
      {removing && <RemoveDialog member={removing} onClose={() => setRemoving(undefined)} />}
    </>
  )
}

const LAST_ADMIN_HINT = 'A workspace needs at least one admin. Promote someone else first.'

interface RoleCellProps {
  member: Member
  /** Reason why the role cannot be changed. */
  why: string | undefined
  onChange: (role: Role) => void
}

function RoleCell({ member, why, onChange }: RoleCellProps) {
  if (why !== undefined) return <span title={why}>{getRoleLabel(member.role)}</span>
  return (
    <Select
      aria-label={`Role of ${member.name}`}
      size="toolbar"
      value={member.role}
      onChange={onChange}
      options={ROLES.map(({ role, label }) => ({ value: role, label }))}
      className="w-28"
    />
  )
}

function RemoveDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const [revokeKeys, setRevokeKeys] = useState(true)
  const removal = memberMutation.remove(useQueryClient())
  const remove = useMutation({
    ...removal,
    onError: (error) => toast.failure(`Could not remove ${member.name}`, error),
    onSuccess: () => {
      toast.done(`Removed ${member.name}`)
      return removal.onSuccess()
    },
    onSettled: onClose,
  })
  return (
    <ConfirmDialog
      title={`Remove ${member.name}?`}
      action="Remove"
      isBusy={remove.isPending}
      onCancel={onClose}
      onConfirm={() => remove.mutate({ id: member.id, revokeKeys })}
    >
      <p>
        {member.email} loses access to this workspace at once.
        {member.invite_count > 0 && ` ${describeInvites(member)}.`} If they have no other workspace, their account is
        deleted. Their name stays on what they created.
      </p>
      {member.key_count > 0 && (
        <label className="mt-3 flex items-center gap-2">
          <input type="checkbox" checked={revokeKeys} onChange={(event) => setRevokeKeys(event.target.checked)} />
          Revoke {describeKeys(member)}. Programs that use {member.key_count === 1 ? 'it' : 'them'} stop working.
        </label>
      )}
    </ConfirmDialog>
  )
}

function describeKeys({ key_count }: Member): string {
  return key_count === 1 ? 'their key' : `their ${key_count} keys`
}

function describeInvites({ invite_count }: Member): string {
  return invite_count === 1
    ? 'One invitation they created is revoked'
    : `${invite_count} invitations they created are revoked`
}
