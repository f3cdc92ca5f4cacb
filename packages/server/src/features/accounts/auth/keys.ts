import {
  ApiError,
  type ApiKey,
  type ApiKeyCreate,
  isAtLeast,
  type NewApiKey,
  type Role,
  timeOfEpochMs,
} from '@touchstone/contract'
import { and, count, eq, gt, isNotNull, isNull, or, sql } from 'drizzle-orm'
import type { Clock, Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/caller.ts'
import { isStorable } from '../../../storage/relational/columns.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { type ApiKeyRow, apiKeys } from '../../../storage/relational/tables/accounts.ts'
import { selectMember } from '../index.ts'
import { lockWorkspace } from '../workspaces/index.ts'
import { toIdentityId } from './identities.ts'
import { hashSecret, newSecret, toShortForm } from './secret.ts'
import { insertKey, markRevoked, selectKey } from './store.ts'

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

/** What bounds the keys and invites that a caller makes. */
interface Maker {
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

/** How many valid keys belong to each person, those among them that were made with another key. */
export async function countKeysByPerson(
  { relational, clock }: Pick<Deps, 'relational' | 'clock'>,
  tenantId: string,
): Promise<Map<string, number>> {
  const isValid = and(
    eq(apiKeys.tenant_id, tenantId),
    isNotNull(apiKeys.person_id),
    isNull(apiKeys.revoked_at),
    or(isNull(apiKeys.expires_at), gt(apiKeys.expires_at, timeOfEpochMs(clock()))),
  )
  const rows = await relational.db
    .select({ person: apiKeys.person_id, n: count() })
    .from(apiKeys)
    .where(isValid)
    .groupBy(apiKeys.person_id)
  return new Map(rows.map(({ person, n }) => [person!, n]))
}

const isKeyOfPerson = (tenantId: string, personId: string) =>
  and(eq(apiKeys.tenant_id, tenantId), eq(apiKeys.person_id, personId), isNull(apiKeys.revoked_at))

/** Revokes all keys that belong to a person. */
export async function revokePersonKeys(tx: Database, tenantId: string, personId: string, at: string): Promise<void> {
  await tx.update(apiKeys).set({ revoked_at: at }).where(isKeyOfPerson(tenantId, personId))
}

/** Keeps the keys of a person who leaves as keys that nobody owns, with no more than the role that the person has now. */
export async function releasePersonKeys(tx: Database, tenantId: string, personId: string, role: Role): Promise<void> {
  const lower = sql<Role>`case
    when 'viewer' in (${apiKeys.role}, ${role}) then 'viewer'
    when 'member' in (${apiKeys.role}, ${role}) then 'member'
    else 'admin' end`
  await tx.update(apiKeys).set({ role: lower, person_id: null }).where(isKeyOfPerson(tenantId, personId))
}

export function presentKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    short_key: row.short_key,
    description: row.description,
    created_at: row.created_at,
    read_only: row.role === 'viewer',
    role: row.role,
    created_by: row.created_by,
    created_by_name: row.created_by_name,
    person_id: row.person_id,
    last_used_at: row.last_used_at,
    expires_at: row.expires_at,
  }
}
