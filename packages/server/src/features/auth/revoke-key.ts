import { ApiError, isAtLeast, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/caller.ts'
import { identityOf } from './identities.ts'
import { markRevoked, selectKey } from './store.ts'
import type { ApiKeyRow } from './tables.ts'

/**
 * Ends a key. Members end those they made; admins end any.
 *
 * @throws ApiError NOT_FOUND, FORBIDDEN
 */
export async function revokeKey(
  { relational, clock }: Pick<Deps, 'relational' | 'clock'>,
  caller: Caller,
  id: string,
): Promise<ApiKeyRow> {
  const key = await selectKey(relational.db, caller.tenantId, id)
  if (key === undefined) throw new ApiError('NOT_FOUND', 'API key not found')
  if (!isAtLeast(caller.role, 'admin') && key.created_by !== identityOf(caller) && key.id !== caller.actorId) {
    throw new ApiError('FORBIDDEN', 'Only admins may revoke the keys of others.')
  }
  const row = await markRevoked(relational.db, caller.tenantId, id, timeOfEpochMs(clock()))
  if (row === undefined) throw new ApiError('NOT_FOUND', 'API key not found')
  return row
}
