import { and } from 'drizzle-orm'
import { isAnyOf } from '../../../storage/relational/columns-of-rows.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { exampleStates } from '../../../storage/relational/tables/datasets.ts'
import { newestStates } from './states.ts'

/** Splits of examples in the newest version, by id; those that are not in it are left out. */
export async function selectSplits(
  db: Database,
  tenantId: string,
  datasetId: string,
  ids: readonly string[],
): Promise<Map<string, readonly string[]>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select({ id: exampleStates.example_id, splits: exampleStates.splits })
    .from(exampleStates)
    .where(and(newestStates(tenantId, datasetId), isAnyOf(exampleStates.example_id, ids)))
  return new Map(rows.map((row) => [row.id, row.splits]))
}
