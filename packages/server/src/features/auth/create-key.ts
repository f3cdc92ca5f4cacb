import { ApiError, type NewApiKey, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { isStorable } from '../../storage/relational/columns.ts'
import { presentKey } from './present.ts'
import { hashOf, newSecret, shortFormOf } from './secret.ts'
import { insertKey } from './store.ts'

export interface KeyWish {
  readonly description?: string | null | undefined
  readonly read_only?: boolean | null | undefined
  readonly expires_at?: string | null | undefined
}

/** Creates a key. Its secret is in the answer and nowhere else. */
export async function createKey(
  { relational, clock, ids }: Pick<Deps, 'relational' | 'clock' | 'ids'>,
  tenantId: string,
  wish: KeyWish,
): Promise<NewApiKey> {
  const description = wish.description ?? ''
  if (!isStorable(description)) throw new ApiError('INVALID_REQUEST', 'A description cannot hold NUL or broken UTF-16.')
  const secret = newSecret()
  const row = {
    id: ids(),
    tenant_id: tenantId,
    hash: hashOf(secret),
    short_key: shortFormOf(secret),
    description,
    read_only: wish.read_only ?? false,
    created_at: timeOfEpochMs(clock()),
    expires_at: wish.expires_at ?? null,
    last_used_at: null,
    revoked_at: null,
  }
  await insertKey(relational.db, row)
  return { ...presentKey(row), key: secret }
}
