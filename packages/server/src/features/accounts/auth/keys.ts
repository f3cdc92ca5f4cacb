import {
  ApiError,
  type ApiKey,
  type ApiKeyCreate,
  contract,
  isAtLeast,
  type NewApiKey,
  type Role,
  timeOfEpochMs,
} from '@touchstone/contract'
import { and, count, eq, gt, isNotNull, isNull, or, sql } from 'drizzle-orm'
import type { Clock, Deps } from '../../../deps.ts'
import type { App, Caller } from '../../../http/serve.ts'
import { serve } from '../../../http/serve.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { type ApiKeyRow, apiKeys } from '../../../storage/relational/tables/accounts.ts'
import { selectMember } from '../index.ts'
import { hashToken, newKeySecret, toShortForm } from '../secrets.ts'
import { lockWorkspace } from '../workspaces/index.ts'
import { toIdentityId } from './identities.ts'
import type { Keyring } from './keyring.ts'
import { insertKey, markRevoked, selectKey, selectKeys } from './store.ts'

/**
 * Creates a key with at most the role of its maker and an end not later than the maker's. Only the response contains
 * its secret.
 *
 * @throws ApiError FORBIDDEN for a role above the maker's, INVALID_REQUEST for an end after that of the maker's key
 */
export async function createKey(
  { relational, clock, ids }: Pick<Deps, 'relational' | 'clock' | 'ids'>,
  caller: Caller,
  request: ApiKeyCreate,
): Promise<NewApiKey> {
  const description = request.description ?? ''
  const secret = newKeySecret()
  const row = await relational.transaction(async (tx) => {
    await lockWorkspace(tx, caller.tenantId)
    const maker = await readMaker(tx, clock, caller)
    const row: ApiKeyRow = {
      id: ids(),
      tenant_id: caller.tenantId,
      hash: hashToken(secret),
      short_key: toShortForm(secret),
      description,
      role: toKeyRole(maker, request),
      created_at: timeOfEpochMs(clock()),
      expires_at: toKeyEnd(maker, request),
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

function toKeyRole(maker: Maker, request: ApiKeyCreate) {
  const role = request.role ?? (request.read_only ? 'viewer' : maker.role)
  if (isAtLeast(maker.role, role)) return role
  throw new ApiError('FORBIDDEN', `A ${maker.role} cannot create a key with the role ${role}.`)
}

function toKeyEnd({ expiresAt }: Maker, { expires_at: requested }: ApiKeyCreate): string | null {
  if (expiresAt === null || requested == null) return requested ?? expiresAt
  if (Date.parse(requested) <= Date.parse(expiresAt)) return requested
  throw new ApiError('INVALID_REQUEST', `Your key expires at ${expiresAt}. The new key must not expire later.`)
}

/**
 * Revokes a key, and the keys and invites that were made with it. Members revoke the keys that belong to them; admins
 * revoke any.
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
      throw new ApiError('FORBIDDEN', 'Only admins may revoke keys of other members.')
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

/** Limits of the keys and invites that a caller creates. */
interface Maker {
  readonly role: Role
  /** The person they belong to; null for a caller without an account. */
  readonly personId: string | null
  /** The latest end of what the caller creates; null for no limit. */
  readonly expiresAt: string | null
}

/**
 * Reads the current limits of a caller. Call it under the lock of the workspace, so that a person who is being removed
 * or demoted, or a key that is being revoked, cannot create anything.
 *
 * @throws ApiError UNAUTHENTICATED when the person was removed or the key ended since the request was accepted
 */
export async function readMaker(tx: Database, clock: Clock, caller: Caller): Promise<Maker> {
  const { tenantId } = caller
  if (caller.kind === 'local') return { role: caller.role, personId: null, expiresAt: null }
  if (caller.kind === 'person') {
    const member = await selectMember(tx, tenantId, caller.actorId)
    if (member === undefined) throw new ApiError('UNAUTHENTICATED')
    return { role: member.role, personId: member.id, expiresAt: null }
  }
  const key = await selectKey(tx, tenantId, caller.actorId)
  if (key === undefined || (key.expires_at !== null && Date.parse(key.expires_at) <= clock())) {
    throw new ApiError('UNAUTHENTICATED')
  }
  return { role: key.role, personId: key.person_id, expiresAt: key.expires_at }
}

/** Number of valid keys per person, including keys that were made with another key. */
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
  return new Map(rows.flatMap(({ person, n }) => (person === null ? [] : [[person, n]])))
}

const matchesPersonKeys = (tenantId: string, personId: string) =>
  and(eq(apiKeys.tenant_id, tenantId), eq(apiKeys.person_id, personId), isNull(apiKeys.revoked_at))

/** Revokes all keys that belong to a person. */
export async function revokePersonKeys(tx: Database, tenantId: string, personId: string, at: string): Promise<void> {
  await tx.update(apiKeys).set({ revoked_at: at }).where(matchesPersonKeys(tenantId, personId))
}

/** Keeps the keys of a person who leaves as keys without an owner, with at most the current role of the person. */
export async function releasePersonKeys(tx: Database, tenantId: string, personId: string, role: Role): Promise<void> {
  const lower = sql<Role>`case
    when 'viewer' in (${apiKeys.role}, ${role}) then 'viewer'
    when 'member' in (${apiKeys.role}, ${role}) then 'member'
    else 'admin' end`
  await tx.update(apiKeys).set({ role: lower, person_id: null }).where(matchesPersonKeys(tenantId, personId))
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

export function authRoutes(app: App, deps: Pick<Deps, 'relational' | 'clock' | 'ids'>, keyring: Keyring): void {
  const { db } = deps.relational

  serve(app, contract.apiKeys.list, async ({ caller }) => (await selectKeys(db, caller.tenantId)).map(presentKey))

  serve(app, contract.apiKeys.create, async ({ caller, body }) => {
    const key = await createKey(deps, caller, body)
    keyring.forget()
    return key
  })

  serve(app, contract.apiKeys.revoke, async ({ caller, params }) => {
    const row = await revokeKey(deps, caller, params.id)
    keyring.forget()
    return presentKey(row)
  })
}
