import { timeOfEpochMs } from '@touchstone/contract'
import { and, count, eq, gt, isNotNull, isNull, or } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import type { Database } from '../../storage/relational/port.ts'
import { apiKeys } from './tables.ts'

/** How many valid keys each person or key has made, by the maker's id. */
export async function countKeysByMaker(
  { relational, clock }: Pick<Deps, 'relational' | 'clock'>,
  tenantId: string,
): Promise<Map<string, number>> {
  const isValid = and(
    eq(apiKeys.tenant_id, tenantId),
    isNotNull(apiKeys.created_by),
    isNull(apiKeys.revoked_at),
    or(isNull(apiKeys.expires_at), gt(apiKeys.expires_at, timeOfEpochMs(clock()))),
  )
  const rows = await relational.db
    .select({ maker: apiKeys.created_by, n: count() })
    .from(apiKeys)
    .where(isValid)
    .groupBy(apiKeys.created_by)
  return new Map(rows.map(({ maker, n }) => [maker!, n]))
}

/** Revokes all keys that somebody made. */
export async function revokeKeysOf(tx: Database, tenantId: string, makerId: string, at: string): Promise<void> {
  await tx
    .update(apiKeys)
    .set({ revoked_at: at })
    .where(and(eq(apiKeys.tenant_id, tenantId), eq(apiKeys.created_by, makerId), isNull(apiKeys.revoked_at)))
}
