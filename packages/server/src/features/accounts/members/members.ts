import { ApiError, type Role, timeOfEpochMs } from '@touchstone/contract'
import type { Caller } from '../../../http/serve.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { releasePersonKeys, revokePersonKeys } from '../auth/index.ts'
import {
  countAdmins,
  type MemberRow,
  removeAccountWithoutWorkspace,
  type SignInDeps,
  updateMembership,
} from '../index.ts'
import { lockWorkspace } from '../workspaces/index.ts'
import { deletePersonInvites } from './invites.ts'

export type MemberDeps = SignInDeps & {
  /** Called when keys were revoked, or their person's role changed. */
  readonly forgetKeys: () => void
}

/**
 * Changes the role of a member. From now on it limits the keys and invites that belong to them.
 *
 * @throws ApiError NOT_FOUND, INVALID_REQUEST for the last admin
 */
export function changeRole(deps: MemberDeps, { tenantId }: Caller, id: string, role: Role): Promise<MemberRow> {
  return changeMember(deps, tenantId, (tx) => updateMembership(tx, tenantId, id, { role }))
}

/**
 * Removes a member with all access that depends on them: their keys, the keys made with those, and the invites of both.
 * An account without another workspace ends, with its sign-ins. Records of the person's work keep their name.
 *
 * @param revokeKeys `false` keeps the keys as keys without an owner, with at most the role of the person
 * @throws ApiError NOT_FOUND, INVALID_REQUEST for the last admin
 */
export async function removeMember(
  deps: MemberDeps,
  { tenantId }: Pick<Caller, 'tenantId'>,
  id: string,
  revokeKeys: boolean,
): Promise<void> {
  const now = timeOfEpochMs(deps.clock())
  await changeMember(deps, tenantId, async (tx) => {
    const member = await updateMembership(tx, tenantId, id, { removed_at: now })
    if (member === undefined) return undefined
    if (revokeKeys) await revokePersonKeys(tx, tenantId, id, now)
    else await releasePersonKeys(tx, tenantId, id, member.role)
    await deletePersonInvites(tx, tenantId, id)
    await removeAccountWithoutWorkspace(tx, id, now)
    return member
  })
}

/** Makes changes one at a time, so that one of two admins who remove each other at once remains. */
async function changeMember(
  { relational, signIns, forgetKeys }: MemberDeps,
  tenantId: string,
  change: (tx: Database) => Promise<MemberRow | undefined>,
): Promise<MemberRow> {
  const member = await relational.transaction(async (tx) => {
    await lockWorkspace(tx, tenantId)
    const member = await change(tx)
    if (member === undefined) throw new ApiError('NOT_FOUND', 'Member not found')
    if ((await countAdmins(tx, tenantId)) === 0) throw new ApiError('INVALID_REQUEST', LAST_ADMIN)
    return member
  })
  signIns.forget()
  forgetKeys()
  return member
}

const LAST_ADMIN = 'This is the last admin. Make another member an admin first.'
