import {
  ApiError,
  type SavedView,
  type SavedViewCreate,
  type SavedViewUpdate,
  timeOfEpochMs,
} from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { findProject } from '../projects/index.ts'
import { insertView, isTaken, selectView, updateView } from './store.ts'
import type { SavedViewRow } from './tables.ts'

type ViewDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>

/** @throws ApiError NOT_FOUND for a project that is not there, CONFLICT for a name that is taken */
export async function createView(deps: ViewDeps, tenantId: string, wish: SavedViewCreate): Promise<SavedView> {
  const projectId = wish.session_id ?? null
  if (projectId !== null && (await findProject(deps, tenantId, projectId)) === undefined) {
    throw new ApiError('NOT_FOUND', 'Session not found')
  }
  const now = timeOfEpochMs(deps.clock())
  const row: SavedViewRow = {
    id: deps.ids(),
    tenant_id: tenantId,
    project_id: projectId,
    name: wish.name,
    state: wish.state,
    created_at: now,
    modified_at: now,
  }
  if (!(await insertView(deps.relational.db, row))) throw nameTaken(wish.name)
  return presentView(row)
}

/** @throws ApiError NOT_FOUND, or CONFLICT for a name that is taken */
export async function changeView(
  deps: ViewDeps,
  tenantId: string,
  id: string,
  change: SavedViewUpdate,
): Promise<SavedView> {
  return deps.relational.transaction(async (tx) => {
    const row = await selectView(tx, tenantId, id)
    if (row === undefined) throw viewNotFound()
    const next = {
      ...row,
      name: change.name ?? row.name,
      state: change.state ?? row.state,
      modified_at: timeOfEpochMs(deps.clock()),
    }
    if (await isTaken(tx, next)) throw nameTaken(next.name)
    await updateView(tx, next)
    return presentView(next)
  })
}

export function viewNotFound(): ApiError {
  return new ApiError('NOT_FOUND', 'View not found')
}

export function presentView({ tenant_id: _, project_id, ...row }: SavedViewRow): SavedView {
  return { ...row, session_id: project_id }
}

function nameTaken(name: string): ApiError {
  return new ApiError('CONFLICT', `There is a view named ${JSON.stringify(name)} already.`)
}
