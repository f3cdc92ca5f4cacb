import type { ModelPrice } from '@touchstone/contract'
import { and, desc, eq, sql } from 'drizzle-orm'
import type { Database } from '../../storage/relational/port.ts'
import { type ModelPriceRow, modelPrices } from '../../storage/relational/tables/projects.ts'

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

/** Changes of one price wait for each other, also of a built-in one, which may have no row. */
export async function lockPrice(tx: Database, tenantId: string, id: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`model price ${tenantId} ${id}`}, 0))`)
}

/** Inserts an entry or replaces the one with its id. */
export async function upsertPrice(db: Database, row: ModelPriceRow): Promise<void> {
  await db
    .insert(modelPrices)
    .values(row)
    .onConflictDoUpdate({ target: [modelPrices.tenant_id, modelPrices.id], set: row })
}

export function presentPrice(row: ModelPriceRow): ModelPrice {
  return {
    id: row.id,
    name: row.name,
    match_pattern: row.match_pattern,
    match_path: row.match_path,
    provider: row.provider,
    start_time: row.start_time,
    prompt_cost: row.prompt_cost,
    completion_cost: row.completion_cost,
    prompt_cost_details: row.prompt_cost_details,
    completion_cost_details: row.completion_cost_details,
    built_in: false,
    source: null,
  }
}
