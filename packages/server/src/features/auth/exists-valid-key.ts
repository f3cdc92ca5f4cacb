import { and, gt, isNull, or, sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { apiKeys } from './tables.ts'

/** Whether anybody could come in by a key now. */
export async function existsValidKey({ relational }: Pick<Deps, 'relational'>): Promise<boolean> {
  const isUnexpired = or(isNull(apiKeys.expires_at), gt(apiKeys.expires_at, sql`now()`))
  const rows = await relational.db
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(isNull(apiKeys.revoked_at), isUnexpired))
    .limit(1)
  return rows.length > 0
}
