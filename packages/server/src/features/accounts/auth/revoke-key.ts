import { ApiError, isAtLeast, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/caller.ts'
import type { ApiKeyRow } from '../../../storage/relational/tables/accounts.ts'
import { lockWorkspace } from '../workspaces/index.ts'
import { toIdentityId } from './identities.ts'
import { markRevoked, selectKey } from './store.ts'

/**
 * Ends a key, and the keys and invites that were made with it. Members end those that belong to them; admins end any.
 *
 * @throws ApiError NOT_FOUND, FORBIDDEN
 */
export function revokeKey(
  { relational, clock }: Pick<Deps, 'relational' | 'clock'>,
  caller: Caller,
  id: string,
): Promise<ApiKeyRow> {
  return relational.transaction(async (tx) => {
    await lockWorkspace(tx, caller.tenantId)
    const key = await selectKey(tx, caller.tenantId, id)
    if (key === undefined) throw new ApiError('NOT_FOUND', 'API key not found')
    if (!isAtLeast(caller.role, 'admin') && !isOwnedBy(caller, key)) {
      throw new ApiError('FORBIDDEN', 'Only admins may revoke the keys of others.')
    }
    const revoked_at = timeOfEpochMs(clock())
    await markRevoked(tx, caller.tenantId, id, revoked_at)
    return { ...key, revoked_at }
  })
}

function isOwnedBy(caller: Caller, key: ApiKeyRow): boolean {
  const isOwn = caller.kind === 'person' && key.person_id === caller.actorId
  return isOwn || key.created_by === toIdentityId(caller) || key.id === caller.actorId
}
