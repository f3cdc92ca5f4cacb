import { type Reviewer, timeOfEpochMs } from '@touchstone/contract'
import { and, count, eq, gt, inArray, isNotNull, isNull, ne, or } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/serve.ts'
import { apiKeys } from '../../../storage/relational/tables/accounts.ts'
import { memberships, people } from '../index.ts'

/** The identity of all callers of an open server without a key; nothing distinguishes them. */
export const LOCAL_IDENTITY = '00000000-0000-0000-0000-000000000000'

/** Id of the calling person or key. */
export function toIdentityId(caller: Caller): string {
  return caller.actorId ?? LOCAL_IDENTITY
}

/**
 * Identities by id, including revoked keys and removed people, because their work remains. Unknown ids are left out.
 */
export async function findIdentities(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, Reviewer>> {
  const found = new Map<string, Reviewer>()
  if (ids.includes(LOCAL_IDENTITY)) found.set(LOCAL_IDENTITY, { id: LOCAL_IDENTITY, name: 'local', email: null })
  if (ids.length === found.size) return found
  const persons = await relational.db
    .select({ id: people.id, name: people.name, email: people.email })
    .from(people)
    .innerJoin(memberships, eq(memberships.person_id, people.id))
    .where(and(eq(memberships.tenant_id, tenantId), inArray(people.id, [...ids])))
  for (const person of persons) found.set(person.id, person)
  const rows = await relational.db
    .select({ id: apiKeys.id, description: apiKeys.description, shortKey: apiKeys.short_key })
    .from(apiKeys)
    .where(and(eq(apiKeys.tenant_id, tenantId), inArray(apiKeys.id, [...ids])))
  for (const { id, description, shortKey } of rows) found.set(id, { id, name: description || shortKey, email: null })
  return found
}

/** Counts the people and keys that may write; at least 1, for the local identity. */
export async function countWriters(
  { relational, clock }: Pick<Deps, 'relational' | 'clock'>,
  tenantId: string,
): Promise<number> {
  const isValid = and(
    eq(apiKeys.tenant_id, tenantId),
    ne(apiKeys.role, 'viewer'),
    isNull(apiKeys.revoked_at),
    or(isNull(apiKeys.expires_at), gt(apiKeys.expires_at, timeOfEpochMs(clock()))),
  )
  const isWriter = and(
    eq(memberships.tenant_id, tenantId),
    ne(memberships.role, 'viewer'),
    isNull(memberships.removed_at),
  )
  const isOfWriter = and(isWriter, eq(memberships.person_id, apiKeys.person_id))
  const [row] = await relational.db
    .select({ n: count() })
    .from(apiKeys)
    .leftJoin(memberships, isOfWriter)
    .where(and(isValid, or(isNull(apiKeys.person_id), isNotNull(memberships.person_id))))
  const [persons] = await relational.db.select({ n: count() }).from(memberships).where(isWriter)
  return Math.max(1, (row?.n ?? 0) + (persons?.n ?? 0))
}
