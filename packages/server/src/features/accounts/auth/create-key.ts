import { ApiError, type ApiKeyCreate, isAtLeast, type NewApiKey, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/caller.ts'
import { isStorable } from '../../../storage/relational/columns.ts'
import type { ApiKeyRow } from '../../../storage/relational/tables/accounts.ts'
import { lockWorkspace } from '../workspaces/index.ts'
import { type Maker, readMaker } from './maker.ts'
import { presentKey } from './present.ts'
import { hashSecret, newSecret, toShortForm } from './secret.ts'
import { insertKey } from './store.ts'

/**
 * Creates a key, which may at most what its maker may and ends not later. Its secret is in the answer and nowhere else.
 *
 * @throws ApiError FORBIDDEN for a role above the maker's, INVALID_REQUEST for an end after that of the maker's key
 */
export async function createKey(
  { relational, clock, ids }: Pick<Deps, 'relational' | 'clock' | 'ids'>,
  caller: Caller,
  wish: ApiKeyCreate,
): Promise<NewApiKey> {
  const description = wish.description ?? ''
  if (!isStorable(description)) throw new ApiError('INVALID_REQUEST', 'A description cannot hold NUL or broken UTF-16.')
  const secret = newSecret()
  const row = await relational.transaction(async (tx) => {
    await lockWorkspace(tx, caller.tenantId)
    const maker = await readMaker(tx, clock, caller)
    const row: ApiKeyRow = {
      id: ids(),
      tenant_id: caller.tenantId,
      hash: hashSecret(secret),
      short_key: toShortForm(secret),
      description,
      role: roleFor(maker, wish),
      created_at: timeOfEpochMs(clock()),
      expires_at: endFor(maker, wish),
      last_used_at: null,
      revoked_at: null,
      created_by: caller.actorId ?? null,
      created_by_name: caller.actorName ?? null,
      person_id: maker.personId,
    }
    await insertKey(tx, row)
    return row
  })
  return { ...presentKey(row), key: secret }
}

function roleFor(maker: Maker, wish: ApiKeyCreate) {
  const role = wish.role ?? (wish.read_only ? 'viewer' : maker.role)
  if (isAtLeast(maker.role, role)) return role
  throw new ApiError('FORBIDDEN', `A ${maker.role} cannot create a key with the role ${role}.`)
}

function endFor({ expiresAt }: Maker, { expires_at: wished }: ApiKeyCreate): string | null {
  if (expiresAt === null || wished == null) return wished ?? expiresAt
  if (Date.parse(wished) <= Date.parse(expiresAt)) return wished
  throw new ApiError(
    'INVALID_REQUEST',
    `The key that makes this one ends at ${expiresAt}; ask for an end not after that.`,
  )
}
