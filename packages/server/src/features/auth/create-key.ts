import { ApiError, type ApiKeyCreate, isAtLeast, type NewApiKey, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/caller.ts'
import { isStorable } from '../../storage/relational/columns.ts'
import { presentKey } from './present.ts'
import { hashOf, newSecret, shortFormOf } from './secret.ts'
import { insertKey } from './store.ts'

/**
 * Creates a key, which may at most what its maker may. Its secret is in the answer and nowhere else.
 *
 * @throws ApiError FORBIDDEN for a role above the maker's, INVALID_REQUEST
 */
export async function createKey(
  { relational, clock, ids }: Pick<Deps, 'relational' | 'clock' | 'ids'>,
  maker: Caller,
  wish: ApiKeyCreate,
): Promise<NewApiKey> {
  const description = wish.description ?? ''
  if (!isStorable(description)) throw new ApiError('INVALID_REQUEST', 'A description cannot hold NUL or broken UTF-16.')
  const role = wish.role ?? (wish.read_only ? 'viewer' : maker.role)
  if (!isAtLeast(maker.role, role)) {
    throw new ApiError('FORBIDDEN', `A ${maker.role} cannot create a key with the role ${role}.`)
  }
  const secret = newSecret()
  const row = {
    id: ids(),
    tenant_id: maker.tenantId,
    hash: hashOf(secret),
    short_key: shortFormOf(secret),
    description,
    role,
    created_at: timeOfEpochMs(clock()),
    expires_at: wish.expires_at ?? null,
    last_used_at: null,
    revoked_at: null,
    created_by: maker.actorId ?? null,
    created_by_name: maker.actorName ?? null,
  }
  await insertKey(relational.db, row)
  return { ...presentKey(row), key: secret }
}
