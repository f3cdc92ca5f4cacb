import { and, desc, eq } from 'drizzle-orm'
import type { Database } from '../../storage/relational/port.ts'
import { type ModelPriceRow, modelPrices } from '../../storage/relational/tables/model-prices.ts'

/** Entries of all workspaces, newest first. */
export function selectAllPrices(db: Database): Promise<ModelPriceRow[]> {
  return db.select().from(modelPrices).orderBy(desc(modelPrices.created_at), desc(modelPrices.id))
}

export async function selectPrice(db: Database, tenantId: string, id: string): Promise<ModelPriceRow | undefined> {
  const [row] = await db
    .select()
    .from(modelPrices)
    .where(and(eq(modelPrices.tenant_id, tenantId), eq(modelPrices.id, id)))
  return row
}

/** Writes an entry over the one of its id. */
export async function upsertPrice(db: Database, row: ModelPriceRow): Promise<void> {
  await db
    .insert(modelPrices)
    .values(row)
    .onConflictDoUpdate({ target: [modelPrices.tenant_id, modelPrices.id], set: row })
}
