import type { Deps } from '../../deps.ts'
import type { Database } from '../../storage/relational/port.ts'
import type { ProjectRow } from '../../storage/relational/tables/projects.ts'
import { newProject } from './resolve-project.ts'
import { countRows, insertProject, selectByIds, selectProject, selectProjectByName, selectProjectIds } from './store.ts'

export { type ProjectRow, projects } from '../../storage/relational/tables/projects.ts'
export { detachExperiments, experimentsByDataset } from './experiments.ts'
export { KeptFigures } from './kept-figures.ts'
export { type ListedProject, listProjects } from './list-projects.ts'
export { presentProject } from './present.ts'
export { DEFAULT_PROJECT, forgetProjects, newProject, resolveProject, threadKeysOfProjects } from './resolve-project.ts'
export { projectRoutes } from './routes.ts'
export { createProject, type DeleteProjects } from './save-project.ts'
export { type RunFigures, readStats, type StatsDeps } from './stats.ts'
export { deleteProjectRows, insertProject, selectProjectIds, selectProjectNames } from './store.ts'

type Rows = Pick<Deps, 'relational'>

/** The project of an id, or `undefined`. */
export function findProject({ relational }: Rows, tenantId: string, id: string): Promise<ProjectRow | undefined> {
  return selectProject(relational.db, tenantId, id)
}

/** The project of a name, or `undefined`. */
export function findProjectByName(
  { relational }: Rows,
  tenantId: string,
  name: string,
): Promise<ProjectRow | undefined> {
  return selectProjectByName(relational.db, tenantId, name)
}

/** Creates a project under a name, or, where that is taken, under the name with the first free number after it. */
export async function createFreeProject(
  tx: Database,
  deps: Pick<Deps, 'clock' | 'ids'>,
  tenantId: string,
  name: string,
): Promise<string> {
  for (let number = 1; ; number++) {
    const wanted = number === 1 ? name : `${name} ${number}`
    const created = await insertProject(tx, newProject(deps, tenantId, wanted))
    if (created !== undefined) return created.id
  }
}

/** Projects of ids, by id; unknown ids are left out. */
export function projectsById(
  { relational }: Rows,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, ProjectRow>> {
  return selectByIds(relational.db, tenantId, ids)
}

/** Ids of the projects that ran a dataset. */
export function experimentIdsOf({ relational }: Rows, tenantId: string, datasetId: string): Promise<string[]> {
  return selectProjectIds(relational.db, tenantId, { referenceDatasets: [datasetId] })
}

export function countProjects({ relational }: Rows, tenantId: string): Promise<number> {
  return countRows(relational.db, tenantId)
}
