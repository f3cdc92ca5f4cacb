import { ApiError, THREAD_KEYS, threadKeysOf, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Relational } from '../../storage/relational/port.ts'
import type { ProjectRow } from '../../storage/relational/tables/projects.ts'
import { checkName } from './check-text.ts'
import { insertProject, selectProject, selectProjectByName } from './store.ts'

/** Runs that name no project go here; it always exists. */
export const DEFAULT_PROJECT = 'default'

/** Another process may delete a project: what is remembered here holds for five seconds at most. */
const REMEMBERED_MS = 5_000
const MAX_REMEMBERED = 10_000

type ResolveDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>
type Memory = Map<string, { readonly place: Promise<Place>; readonly until: number }>
const memories = new WeakMap<Relational, Memory>()

/** What the ingest of a run has to know of its project. */
interface Place {
  readonly id: string
  readonly threadKeys: readonly string[]
}

interface Wanted {
  readonly id?: string | undefined
  readonly name?: string | undefined
}

/**
 * Id of the project with this id or name; a name that is new creates its project. An id wins over a name.
 *
 * @throws ApiError NOT_FOUND for an unknown id, INVALID_REQUEST for a name that cannot be stored
 */
export async function resolveProject(deps: ResolveDeps, tenantId: string, wanted: Wanted): Promise<string> {
  return (await resolvePlace(deps, tenantId, wanted)).id
}

/** Metadata keys that name the threads of each of the projects; the usual ones of a project that is gone. */
export async function threadKeysOfProjects(
  deps: ResolveDeps,
  tenantId: string,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const entries = [...ids].map(async (id) => {
    const place = await resolvePlace(deps, tenantId, { id }).catch(orGone)
    return [id, place?.threadKeys ?? THREAD_KEYS] as const
  })
  return new Map(await Promise.all(entries))
}

function orGone(error: unknown): undefined {
  if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error
}

function resolvePlace(deps: ResolveDeps, tenantId: string, wanted: Wanted): Promise<Place> {
  const key = `${tenantId} ${wanted.id ?? `name:${wanted.name ?? DEFAULT_PROJECT}`}`
  const memory = memoryOf(deps.relational)
  const remembered = memory.get(key)
  if (remembered !== undefined && remembered.until > deps.clock()) return remembered.place
  const row =
    wanted.id === undefined
      ? findOrCreate(deps, tenantId, wanted.name ?? DEFAULT_PROJECT)
      : requireId(deps, tenantId, wanted.id)
  const place = row.then(placeOf)
  if (memory.size >= MAX_REMEMBERED) memory.clear()
  const entry = { place, until: deps.clock() + REMEMBERED_MS }
  memory.set(key, entry)
  place.then(
    // Its runs are found by its id from now on.
    ({ id }) => memoryOf(deps.relational) === memory && memory.set(`${tenantId} ${id}`, entry),
    () => memory.get(key) === entry && memory.delete(key),
  )
  return place
}

function placeOf({ id, extra }: Pick<ProjectRow, 'id' | 'extra'>): Place {
  return { id, threadKeys: extra === null ? THREAD_KEYS : threadKeysOf(JSON.parse(extra)) }
}

/** Projects were renamed or deleted in this process: that holds from now on. */
export function forgetProjects(relational: Relational): void {
  memories.delete(relational)
}

function memoryOf(relational: Relational): Memory {
  const memory: Memory = memories.get(relational) ?? new Map()
  memories.set(relational, memory)
  return memory
}

async function requireId({ relational }: ResolveDeps, tenantId: string, id: string): Promise<ProjectRow> {
  const found = await selectProject(relational.db, tenantId, id)
  if (found !== undefined) return found
  throw new ApiError('NOT_FOUND', 'Session not found')
}

async function findOrCreate(deps: ResolveDeps, tenantId: string, name: string): Promise<ProjectRow> {
  checkName(name)
  const { db } = deps.relational
  for (let attempt = 0; attempt < 3; attempt++) {
    const found = await selectProjectByName(db, tenantId, name)
    if (found !== undefined) return found
    const created = await insertProject(db, newProject(deps, tenantId, name))
    if (created !== undefined) return created // else somebody created it in between: look again
  }
  throw new ApiError(
    'UNAVAILABLE',
    `The project ${name.slice(0, 100)} is created and deleted faster than it can be found.`,
  )
}

/** A project of which only the name is known. */
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
