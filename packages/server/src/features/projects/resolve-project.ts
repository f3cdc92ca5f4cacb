import { ApiError, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Relational } from '../../storage/relational/port.ts'
import { checkName } from './check-text.ts'
import { insertProject, selectProject, selectProjectByName } from './store.ts'

/** Runs that name no project go here; it always exists. */
export const DEFAULT_PROJECT = 'default'

/** Another process may delete a project: what is remembered here holds for five seconds at most. */
const REMEMBERED_MS = 5_000
const MAX_REMEMBERED = 10_000

type ResolveDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>
type Memory = Map<string, { readonly id: Promise<string>; readonly until: number }>
const memories = new WeakMap<Relational, Memory>()

/**
 * Id of the project with this id or name; a name that is new creates its project. An id wins over a name.
 *
 * @throws ApiError NOT_FOUND for an unknown id, INVALID_REQUEST for a name that cannot be stored
 */
export function resolveProject(
  deps: ResolveDeps,
  tenantId: string,
  wanted: { readonly id?: string | undefined; readonly name?: string | undefined },
): Promise<string> {
  const key = `${tenantId} ${wanted.id ?? `name:${wanted.name ?? DEFAULT_PROJECT}`}`
  const memory = memoryOf(deps.relational)
  const remembered = memory.get(key)
  if (remembered !== undefined && remembered.until > deps.clock()) return remembered.id
  const id =
    wanted.id === undefined
      ? findOrCreate(deps, tenantId, wanted.name ?? DEFAULT_PROJECT)
      : requireId(deps, tenantId, wanted.id)
  if (memory.size >= MAX_REMEMBERED) memory.clear()
  const entry = { id, until: deps.clock() + REMEMBERED_MS }
  memory.set(key, entry)
  id.catch(() => memory.get(key) === entry && memory.delete(key))
  return id
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

async function requireId({ relational }: ResolveDeps, tenantId: string, id: string): Promise<string> {
  if ((await selectProject(relational.db, tenantId, id)) !== undefined) return id
  throw new ApiError('NOT_FOUND', 'Session not found')
}

async function findOrCreate(deps: ResolveDeps, tenantId: string, name: string): Promise<string> {
  checkName(name)
  const { db } = deps.relational
  for (let attempt = 0; attempt < 3; attempt++) {
    const found = await selectProjectByName(db, tenantId, name)
    if (found !== undefined) return found.id
    const created = await insertProject(db, newProject(deps, tenantId, name))
    if (created !== undefined) return created.id // else somebody created it in between: look again
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
