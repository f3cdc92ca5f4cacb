import { and, eq, type SQL, sql } from 'drizzle-orm'
import { exampleStates } from '../../../storage/relational/tables/datasets.ts'

/**
 * The states that make up a dataset at a version: at most one of each example.
 *
 * @param version  undefined for a dataset that has none, which has no examples
 */
export function statesAt(tenantId: string, datasetId: string, version: Date | undefined): SQL {
  if (version === undefined) return sql`false`
  return and(ofDataset(tenantId, datasetId), holdsAt(version.toISOString()))!
}

/** The states of the newest version. */
export function newestStates(tenantId: string, datasetId: string): SQL {
  return and(ofDataset(tenantId, datasetId), sql`${exampleStates.until} = 'infinity'`)!
}

/** @param instant  any point in time, in the contract's printed form */
export function holdsAt(instant: string): SQL {
  return sql`${exampleStates.as_of} <= ${instant}::timestamptz and ${exampleStates.until} > ${instant}::timestamptz`
}

export const isNewest = sql`${exampleStates.until} = 'infinity'`

function ofDataset(tenantId: string, datasetId: string): SQL {
  return and(eq(exampleStates.dataset_id, datasetId), eq(exampleStates.tenant_id, tenantId))!
}
