import { ApiError, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Database } from '../../storage/relational/port.ts'
import type { ProjectRow } from '../../storage/relational/tables/projects.ts'
import { insertProject, moveStartBack, selectProject, selectProjectByName } from './store.ts'

/** The project of runs that name no project. It always exists. */
export const DEFAULT_PROJECT = 'default'

/** Another process may delete a project, so cached projects are used for five seconds at most. */
const CACHED_MS = 5_000
const MAX_CACHED = 10_000

type ResolveDeps = Pick<Deps, 'relational' | 'clock' | 'ids' | 'caches'>

interface ProjectReference {
  readonly id?: string | undefined
  readonly name?: string | undefined
}

/**
 * Id of the project with an id or a name. A new name creates its project. The id has precedence over the name.
 *
 * @throws ApiError NOT_FOUND for an unknown id, INVALID_REQUEST for a name that cannot be stored
 */
export function resolveProject(deps: ResolveDeps, tenantId: string, wanted: ProjectReference): Promise<string> {
  const key = `${tenantId} ${wanted.id ?? `name:${wanted.name ?? DEFAULT_PROJECT}`}`
  const cache = deps.caches.projects
  const cached = cache.get(key)
  const leftMs = (cached?.until ?? 0) - deps.clock()
  // More is left when the clock was set back.
  if (cached !== undefined && leftMs > 0 && leftMs <= CACHED_MS) return cached.id
  const row =
    wanted.id === undefined
      ? findOrCreate(deps, tenantId, wanted.name ?? DEFAULT_PROJECT)
      : getProjectById(deps, tenantId, wanted.id)
  const id = row.then((project) => {
    rememberStart(deps, project.id, project.start_time)
    return project.id
  })
  if (cache.size >= MAX_CACHED) cache.clear()
  const entry = { id, until: deps.clock() + CACHED_MS }
  cache.set(key, entry)
  // The cache may have been cleared in the meantime.
  const isCached = () => cache.get(key) === entry
  id.then(
    // Later runs may refer to the project by its id.
    (found) => isCached() && cache.set(`${tenantId} ${found}`, entry),
    () => isCached() && cache.delete(key),
  )
  return id
}

/** Clears the caches after projects were changed or deleted in this process. */
export function forgetProjects({ caches }: Pick<Deps, 'caches'>): void {
  caches.projects.clear()
  caches.projectStarts.clear()
  caches.threadKeys.forget()
}

/**
 * Moves the start of projects back to the first start of their runs. Clients ask for the traces of an experiment from its start
 * on, and the clock of the server that creates a project is later than the clock of the client that started its runs.
 *
 * Writes only when a run is earlier than every start that this process knows. A start never moves forward, so a start that
 * another process has moved back needs no reading.
 *
 * Any start that a run can have is followed, also 1970 of a client without a clock: a bound would hide that run from such a
 * query again. The start of a project only sorts lists and is shown; retention and statistics use the times of runs.
 *
 * @param starts  the earliest start of new runs, by project id
 */
export async function moveProjectStarts(
  deps: Pick<Deps, 'relational' | 'caches'>,
  tenantId: string,
  starts: ReadonlyMap<string, string>,
): Promise<void> {
  for (const [projectId, start] of starts) {
    const known = deps.caches.projectStarts.get(projectId)
    if (known !== undefined && known <= start) continue
    await moveStartBack(deps.relational.db, tenantId, projectId, start)
    rememberStart(deps, projectId, start)
  }
}

function rememberStart({ caches: { projectStarts } }: Pick<Deps, 'caches'>, projectId: string, start: string): void {
  const known = projectStarts.get(projectId)
  if (known !== undefined && known <= start) return
  if (projectStarts.size >= MAX_CACHED) projectStarts.clear()
  projectStarts.set(projectId, start)
}

async function getProjectById({ relational }: ResolveDeps, tenantId: string, id: string): Promise<ProjectRow> {
  const found = await selectProject(relational.db, tenantId, id)
  if (found !== undefined) return found
  throw new ApiError('NOT_FOUND', 'Session not found')
}

async function findOrCreate(deps: ResolveDeps, tenantId: string, name: string): Promise<ProjectRow> {
  assertProjectName(name)
  const { db } = deps.relational
  for (let attempt = 0; attempt < 3; attempt++) {
    const found = await selectProjectByName(db, tenantId, name)
    if (found !== undefined) return found
    const created = await insertProject(db, newProject(deps, tenantId, name))
    if (created !== undefined) return created // otherwise a concurrent request created it: select again
  }
  throw new ApiError(
    'UNAVAILABLE',
    `The project ${name.slice(0, 100)} is created and deleted faster than it can be found.`,
  )
}

/** A row of a project with only a name. */
export function newProject({ clock, ids }: Pick<Deps, 'clock' | 'ids'>, tenantId: string, name: string) {
  return {
    id: ids(),
    tenant_id: tenantId,
    name,
    description: null,
    extra: null,
    metadata: {},
    reference_dataset_id: null,
    default_dataset_id: null,
    start_time: timeOfEpochMs(clock()),
    end_time: null,
    trace_tier: null,
    test_run_number: null,
    num_examples: null,
    num_repetitions: null,
    evaluator_keys: null,
  }
}

/** @throws ApiError INVALID_REQUEST when the name of a project is empty or too long */
export function assertProjectName(name: string): void {
  if (name.length === 0 || name.length > 1000) {
    throw new ApiError('INVALID_REQUEST', 'The name of a project must have 1 to 1000 characters.')
  }
}

/** Creates a project under a name; if the name is taken, under the name with the first free number after it. */
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
