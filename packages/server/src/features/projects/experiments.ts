import { and, count, eq, inArray, isNotNull, max } from 'drizzle-orm'
import type { Database } from '../../storage/relational/port.ts'
import { projects } from '../../storage/relational/tables/projects.ts'

/** How many experiments each dataset of a workspace has and when the newest began, to join with datasets. */
export function experimentsByDataset(db: Database, tenantId: string) {
  return db
    .select({
      dataset_id: projects.reference_dataset_id,
      session_count: count().as('session_count'),
      last_session_start_time: max(projects.start_time).as('last_session_start_time'),
    })
    .from(projects)
    .where(and(eq(projects.tenant_id, tenantId), isNotNull(projects.reference_dataset_id)))
    .groupBy(projects.reference_dataset_id)
    .as('experiments')
}

/** Datasets are deleted: their experiments stay, as projects like any other. */
export async function detachExperiments(tx: Database, tenantId: string, datasetIds: readonly string[]): Promise<void> {
  await tx
    .update(projects)
    .set({ reference_dataset_id: null, test_run_number: null })
    .where(and(eq(projects.tenant_id, tenantId), inArray(projects.reference_dataset_id, [...datasetIds])))
}
