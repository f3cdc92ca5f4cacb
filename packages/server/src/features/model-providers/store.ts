import { and, asc, eq, isNotNull, sql } from 'drizzle-orm'
import type { Database } from '../../storage/relational/port.ts'
import { type ModelProviderRow, modelProviders } from '../../storage/relational/tables/model-providers.ts'

const matches = (tenantId: string, id: string) => and(eq(modelProviders.tenant_id, tenantId), eq(modelProviders.id, id))

export function selectProviders(db: Database, tenantId: string): Promise<ModelProviderRow[]> {
  return db
    .select()
    .from(modelProviders)
    .where(eq(modelProviders.tenant_id, tenantId))
    .orderBy(asc(sql`lower(${modelProviders.name})`), asc(modelProviders.id))
}

export async function selectProvider(
  db: Database,
  tenantId: string,
  id: string,
): Promise<ModelProviderRow | undefined> {
  const [row] = await db.select().from(modelProviders).where(matches(tenantId, id))
  return row
}

export async function insertProvider(db: Database, row: ModelProviderRow): Promise<void> {
  await db.insert(modelProviders).values(row)
}

export async function updateProvider(db: Database, tenantId: string, id: string, change: Partial<ModelProviderRow>) {
  const [row] = await db.update(modelProviders).set(change).where(matches(tenantId, id)).returning()
  return row
}

export async function deleteProvider(db: Database, tenantId: string, id: string): Promise<boolean> {
  const deleted = await db.delete(modelProviders).where(matches(tenantId, id)).returning({ id: modelProviders.id })
  return deleted.length === 1
}

/** One change of a workspace's providers at a time, so that names stay unique and their number limited. */
export async function lockProviders(tx: Database, tenantId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`model providers ${tenantId}`}, 0))`)
}

/** Providers of all workspaces that have secrets; for server administrators. */
export function selectSealedProviders(db: Database): Promise<ModelProviderRow[]> {
  return db.select().from(modelProviders).where(isNotNull(modelProviders.key_id)).orderBy(asc(modelProviders.id))
}
