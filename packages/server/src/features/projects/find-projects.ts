import type { Deps } from '../../deps.ts'
import type { ProjectRow } from '../../storage/relational/tables/projects.ts'
import { countProjectRows, selectByIds, selectProject, selectProjectByName, selectProjectIds } from './store.ts'

type Rows = Pick<Deps, 'relational'>

export function findProject({ relational }: Rows, tenantId: string, id: string): Promise<ProjectRow | undefined> {
  return selectProject(relational.db, tenantId, id)
}

export function findProjectByName(
  { relational }: Rows,
  tenantId: string,
  name: string,
): Promise<ProjectRow | undefined> {
  return selectProjectByName(relational.db, tenantId, name)
}

/** Projects by id; unknown ids are omitted. */
export function selectProjectsById(
  { relational }: Rows,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, ProjectRow>> {
  return selectByIds(relational.db, tenantId, ids)
}

/** Ids of the experiments of a dataset. */
export function selectExperimentIds({ relational }: Rows, tenantId: string, datasetId: string): Promise<string[]> {
  return selectProjectIds(relational.db, tenantId, { referenceDatasets: [datasetId] })
}

export function countProjects({ relational }: Rows, tenantId: string): Promise<number> {
  return countProjectRows(relational.db, tenantId)
}
