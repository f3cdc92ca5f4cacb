import { ApiError, type Role, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/caller.ts'
import type { Database } from '../../storage/relational/port.ts'
import { deleteSignIns, type PersonRow, type SignIns, updatePerson } from '../accounts/index.ts'
import { revokeKeysOf } from '../auth/index.ts'
import { lockWorkspace } from '../workspaces/index.ts'
import { countAdmins } from './store.ts'

export type MemberDeps = Pick<Deps, 'relational' | 'clock' | 'ids' | 'config'> & { readonly signIns: SignIns }

/** @throws ApiError NOT_FOUND, INVALID_REQUEST for the last admin */
export async function changeRole(deps: MemberDeps, { tenantId }: Caller, id: string, role: Role): Promise<PersonRow> {
  const person = await changeMember(deps, tenantId, (tx) => updatePerson(tx, tenantId, id, { role }))
  deps.signIns.forget()
  return person
}

/**
 * Removes a member: their sign-ins end, and with `revokeKeys` the keys that they made. What they did keeps their name.
 *
 * @throws ApiError NOT_FOUND, INVALID_REQUEST for the last admin
 */
export async function removeMember(
  deps: MemberDeps,
  { tenantId }: Caller,
  id: string,
  revokeKeys: boolean,
): Promise<void> {
  const now = timeOfEpochMs(deps.clock())
  await changeMember(deps, tenantId, async (tx) => {
    const person = await updatePerson(tx, tenantId, id, { removed_at: now, password_hash: '' })
    if (person === undefined) return undefined
    await deleteSignIns(tx, person)
    if (revokeKeys) await revokeKeysOf(tx, tenantId, id, now)
    return person
  })
  deps.signIns.forget()
}

/** One change at a time, so that of two admins who remove each other at once one stays. */
function changeMember(
  { relational }: MemberDeps,
  tenantId: string,
  change: (tx: Database) => Promise<PersonRow | undefined>,
): Promise<PersonRow> {
  return relational.transaction(async (tx) => {
    await lockWorkspace(tx, tenantId)
    const person = await change(tx)
    if (person === undefined) throw new ApiError('NOT_FOUND', 'Member not found')
    if ((await countAdmins(tx, tenantId)) === 0) throw new ApiError('INVALID_REQUEST', LAST)
    return person
  })
}

const LAST = 'This is the last admin. Make somebody else an admin first.'
