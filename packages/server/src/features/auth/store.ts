import { and, desc, eq, gt, isNull, or, sql } from 'drizzle-orm'
import type { Database } from '../../storage/relational/port.ts'
import { noteSetUp } from '../accounts/index.ts'
import { type ApiKeyRow, apiKeys } from './tables.ts'

export async function insertKey(db: Database, row: ApiKeyRow): Promise<void> {
  await db.insert(apiKeys).values(row)
  await noteSetUp(db)
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

/** Whether somebody can still call with a key: one that was neither revoked nor has expired. */
export async function existsValidKey(db: Database, now: string): Promise<boolean> {
  const isValid = and(isNull(apiKeys.revoked_at), or(isNull(apiKeys.expires_at), gt(apiKeys.expires_at, now)))
  return (await db.select({ id: apiKeys.id }).from(apiKeys).where(isValid).limit(1)).length > 0
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
