import {
  ApiError,
  contract,
  type SavedView,
  type SavedViewCreate,
  type SavedViewUpdate,
  timeOfEpochMs,
} from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/caller.ts'
import { type App, serve } from '../../../http/serve.ts'
import type { SavedViewRow } from '../../../storage/relational/tables/projects.ts'
import { toIdentityId } from '../../accounts/auth/index.ts'
import { findProject } from '../../projects/index.ts'
import { deleteView, insertView, isNameTaken, selectView, selectViews, updateView, type Viewer } from './store.ts'

export function savedViewRoutes(app: App, deps: Pick<Deps, 'relational' | 'clock' | 'ids'>): void {
  const { savedViews } = contract
  const { db } = deps.relational

  serve(app, savedViews.list, async ({ caller, query }) =>
    (await selectViews(db, toViewer(caller), query.session_id)).map(presentView),
  )
  serve(app, savedViews.create, ({ caller, body }) => createView(deps, toViewer(caller), body))
  serve(app, savedViews.update, ({ caller, params, body }) => changeView(deps, toViewer(caller), params.view_id, body))
  serve(app, savedViews.delete, async ({ caller, params }) => {
    if (!(await deleteView(db, toViewer(caller), params.view_id))) throw viewNotFound()
  })
}

function toViewer(caller: Caller): Viewer {
  return { tenantId: caller.tenantId, identity: toIdentityId(caller) }
}

type ViewDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>

/** @throws ApiError NOT_FOUND for an unknown project, CONFLICT when the name is taken */
export async function createView(deps: ViewDeps, viewer: Viewer, request: SavedViewCreate): Promise<SavedView> {
  const projectId = request.session_id ?? null
  if (projectId !== null && (await findProject(deps, viewer.tenantId, projectId)) === undefined) {
    throw new ApiError('NOT_FOUND', 'Session not found')
  }
  const now = timeOfEpochMs(deps.clock())
  const row: SavedViewRow = {
    id: deps.ids(),
    tenant_id: viewer.tenantId,
    project_id: projectId,
    owner_id: request.is_personal ? viewer.identity : null,
    name: request.name,
    state: request.state,
    created_at: now,
    modified_at: now,
  }
  if (!(await insertView(deps.relational.db, row))) throw nameConflict(request.name)
  return presentView(row)
}

/** @throws ApiError NOT_FOUND, or CONFLICT for a name that is taken */
export async function changeView(
  deps: ViewDeps,
  viewer: Viewer,
  id: string,
  change: SavedViewUpdate,
): Promise<SavedView> {
  return deps.relational.transaction(async (tx) => {
    const row = await selectView(tx, viewer, id)
    if (row === undefined) throw viewNotFound()
    const next = {
      ...row,
      name: change.name ?? row.name,
      state: change.state ?? row.state,
      ...(typeof change.is_personal === 'boolean' && { owner_id: change.is_personal ? viewer.identity : null }),
      modified_at: timeOfEpochMs(deps.clock()),
    }
    if (await isNameTaken(tx, next)) throw nameConflict(next.name)
    await updateView(tx, next)
    return presentView(next)
  })
}

function viewNotFound(): ApiError {
  return new ApiError('NOT_FOUND', 'View not found')
}

function presentView({ tenant_id: _, project_id, owner_id, ...row }: SavedViewRow): SavedView {
  return { ...row, session_id: project_id, is_personal: owner_id !== null }
}

function nameConflict(name: string): ApiError {
  return new ApiError('CONFLICT', `There is a view named ${JSON.stringify(name)} already.`)
}
