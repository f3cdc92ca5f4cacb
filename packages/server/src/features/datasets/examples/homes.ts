import { and, eq, isNull, sql } from 'drizzle-orm'
import { isAnyOf } from '../../../storage/relational/columns-of-rows.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { examples } from '../../../storage/relational/tables/datasets.ts'

/** The datasets of examples, also of deleted ones, by the id of the example; unknown and erased ids are left out. */
export async function homesOf(db: Database, tenantId: string, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select({ id: examples.id, dataset_id: examples.dataset_id })
    .from(examples)
    .where(and(eq(examples.tenant_id, tenantId), isAnyOf(sql`${examples.id}`, ids), isNull(examples.erased_at)))
  return new Map(rows.map((row) => [row.id, row.dataset_id]))
}
