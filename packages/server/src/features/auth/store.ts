import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import type { Database } from '../../storage/relational/port.ts'
import { type ApiKeyRow, apiKeys } from './tables.ts'

export async function insertKey(db: Database, row: ApiKeyRow): Promise<void> {
  await db.insert(apiKeys).values(row)
}

/** Keys that were not revoked, newest first; expired ones among them. */
export function selectKeys(db: Database, tenantId: string): Promise<ApiKeyRow[]> {
  return db
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.tenant_id, tenantId), isNull(apiKeys.revoked_at)))
    .orderBy(desc(apiKeys.created_at), desc(apiKeys.id))
}

export async function selectKey(db: Database, tenantId: string, id: string): Promise<ApiKeyRow | undefined> {
  const [row] = await db
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.tenant_id, tenantId), eq(apiKeys.id, id), isNull(apiKeys.revoked_at)))
  return row
}

export async function selectKeyByHash(db: Database, hash: string): Promise<ApiKeyRow | undefined> {
  const [row] = await db
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.hash, hash), isNull(apiKeys.revoked_at)))
  return row
}

export async function existsKey(db: Database): Promise<boolean> {
  const rows = await db.select({ id: apiKeys.id }).from(apiKeys).where(isNull(apiKeys.revoked_at)).limit(1)
  return rows.length > 0
}

export async function markRevoked(
  db: Database,
  tenantId: string,
  id: string,
  at: string,
): Promise<ApiKeyRow | undefined> {
  const [row] = await db
    .update(apiKeys)
    .set({ revoked_at: at })
    .where(and(eq(apiKeys.tenant_id, tenantId), eq(apiKeys.id, id), isNull(apiKeys.revoked_at)))
    .returning()
  return row
}

export async function markUsed(db: Database, id: string, at: string): Promise<void> {
  await db
    .update(apiKeys)
    .set({ last_used_at: sql`greatest(${apiKeys.last_used_at}, ${at})` })
    .where(eq(apiKeys.id, id))
}
