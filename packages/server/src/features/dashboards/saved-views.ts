import {
  ApiError,
  contract,
  type SavedView,
  type SavedViewCreate,
  type SavedViewUpdate,
  timeOfEpochMs,
} from '@touchstone/contract'
import { and, asc, eq, isNull, ne, or } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/serve.ts'
import { type App, serve } from '../../http/serve.ts'
import { assertExpected } from '../../storage/relational/expected.ts'
import type { Database } from '../../storage/relational/port.ts'
import { type SavedViewRow, savedViews } from '../../storage/relational/tables/projects.ts'
import { toIdentityId } from '../accounts/auth/index.ts'
import { findProject } from '../projects/index.ts'

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

/** @throws ApiError NOT_FOUND, or CONFLICT for a name that is taken or an expected value that was changed */
export async function changeView(
  deps: ViewDeps,
  viewer: Viewer,
  id: string,
  change: SavedViewUpdate,
): Promise<SavedView> {
  return deps.relational.transaction(async (tx) => {
    const row = await selectViewForUpdate(tx, viewer, id)
    if (row === undefined) throw viewNotFound()
    assertExpected('The view', change.expected, { name: row.name, state: row.state })
    const next = {
      ...row,
      name: change.name ?? row.name,
      state: change.state ?? row.state,
      ...(typeof change.is_personal === 'boolean' && { owner_id: change.is_personal ? viewer.identity : null }),
      modified_at: timeOfEpochMs(deps.clock()),
    }
    if (await isViewNameTaken(tx, next)) throw nameConflict(next.name)
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
  return new ApiError('CONFLICT', `A view named ${JSON.stringify(name)} already exists.`)
}

/** The viewer, who sees the shared views of a workspace and their own. */
interface Viewer {
  tenantId: string
  /** The result of `toIdentityId`. */
  identity: string
}

/** Views of the workspace, and of one project if named, by name. */
export function selectViews(db: Database, viewer: Viewer, projectId: string | undefined): Promise<SavedViewRow[]> {
  const isOffered =
    projectId === undefined
      ? isNull(savedViews.project_id)
      : or(isNull(savedViews.project_id), eq(savedViews.project_id, projectId))
  return db
    .select()
    .from(savedViews)
    .where(and(whereVisible(viewer), isOffered))
    .orderBy(asc(savedViews.name), asc(savedViews.id))
}

async function selectViewForUpdate(db: Database, viewer: Viewer, id: string): Promise<SavedViewRow | undefined> {
  const [row] = await db
    .select()
    .from(savedViews)
    .where(and(whereVisible(viewer), eq(savedViews.id, id)))
    .for('update')
  return row
}

/** Whether another view of the same project and owner has the name. */
async function isViewNameTaken(db: Database, row: SavedViewRow): Promise<boolean> {
  const inProject = row.project_id === null ? isNull(savedViews.project_id) : eq(savedViews.project_id, row.project_id)
  const owner = row.owner_id === null ? isNull(savedViews.owner_id) : eq(savedViews.owner_id, row.owner_id)
  const others = await db
    .select({ id: savedViews.id })
    .from(savedViews)
    .where(
      and(
        eq(savedViews.tenant_id, row.tenant_id),
        inProject,
        owner,
        eq(savedViews.name, row.name),
        ne(savedViews.id, row.id),
      ),
    )
    .limit(1)
  return others.length > 0
}

/** @returns false when the name is taken */
async function insertView(db: Database, row: SavedViewRow): Promise<boolean> {
  const written = await db.insert(savedViews).values(row).onConflictDoNothing().returning({ id: savedViews.id })
  return written.length > 0
}

async function updateView(db: Database, row: SavedViewRow): Promise<void> {
  await db
    .update(savedViews)
    .set(row)
    .where(and(eq(savedViews.tenant_id, row.tenant_id), eq(savedViews.id, row.id)))
}

/** @returns false when it does not exist */
export async function deleteView(db: Database, viewer: Viewer, id: string): Promise<boolean> {
  const gone = await db
    .delete(savedViews)
    .where(and(whereVisible(viewer), eq(savedViews.id, id)))
    .returning({ id: savedViews.id })
  return gone.length > 0
}

function whereVisible({ tenantId, identity }: Viewer) {
  return and(eq(savedViews.tenant_id, tenantId), or(isNull(savedViews.owner_id), eq(savedViews.owner_id, identity)))
}
