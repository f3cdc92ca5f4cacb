import { ApiError, type Role } from '@touchstone/contract'
import type { Clock } from '../../../deps.ts'
import type { Caller } from '../../../http/caller.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { selectMember } from '../index.ts'
import { selectKey } from './store.ts'

/** What bounds the keys and invites that a caller makes. */
export interface Maker {
  readonly role: Role
  /** The person they will belong to; null where there is none. */
  readonly personId: string | null
  /** Nothing that the caller makes lasts longer; null for no end. */
  readonly expiresAt: string | null
}

/**
 * Reads what a caller may pass on, as it is now. Call it under the lock of the workspace, so that nothing is made by
 * somebody who is being removed or demoted, or with a key that is being revoked.
 *
 * @throws ApiError UNAUTHENTICATED when the person or key ended since the request was let in
 */
export async function readMaker(tx: Database, clock: Clock, caller: Caller): Promise<Maker> {
  const { tenantId, actorId } = caller
  if (caller.kind === 'local') return { role: caller.role, personId: null, expiresAt: null }
  if (caller.kind === 'person') {
    const member = await selectMember(tx, tenantId, actorId!)
    if (member === undefined) throw new ApiError('UNAUTHENTICATED')
    return { role: member.role, personId: member.id, expiresAt: null }
  }
  const key = await selectKey(tx, tenantId, actorId!)
  if (key === undefined || (key.expires_at !== null && Date.parse(key.expires_at) <= clock())) {
    throw new ApiError('UNAUTHENTICATED')
  }
  return { role: key.role, personId: key.person_id, expiresAt: key.expires_at }
}
