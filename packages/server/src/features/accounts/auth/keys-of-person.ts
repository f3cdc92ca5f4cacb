import { type Role, timeOfEpochMs } from '@touchstone/contract'
import { and, count, eq, gt, isNotNull, isNull, or, sql } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { apiKeys } from '../../../storage/relational/tables/accounts.ts'

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
