import {
  ApiError,
  contract,
  type Dashboard,
  type DashboardCreate,
  type DashboardUpdate,
  timeOfEpochMs,
} from '@touchstone/contract'
import { and, asc, eq, isNull, ne, or } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { type App, serve } from '../../http/serve.ts'
import { assertExpected } from '../../storage/relational/expected.ts'
import type { Database } from '../../storage/relational/port.ts'
import { type DashboardRow, dashboards } from '../../storage/relational/tables/projects.ts'
import { findProject } from '../projects/index.ts'

export function dashboardRoutes(app: App, deps: Pick<Deps, 'relational' | 'clock' | 'ids'>): void {
  const { dashboards } = contract
  const { db } = deps.relational

  serve(app, dashboards.list, async ({ caller, query }) =>
    (await selectDashboards(db, caller.tenantId, query.session_id)).map(presentDashboard),
  )
  serve(app, dashboards.read, async ({ caller, params }) => {
    const row = await selectDashboard(db, caller.tenantId, params.dashboard_id)
    if (row === undefined) throw dashboardNotFound()
    return presentDashboard(row)
  })
  serve(app, dashboards.create, ({ caller, body }) => createDashboard(deps, caller.tenantId, body))
  serve(app, dashboards.update, ({ caller, params, body }) =>
    changeDashboard(deps, caller.tenantId, params.dashboard_id, body),
  )
  serve(app, dashboards.delete, async ({ caller, params }) => {
    if (!(await deleteDashboard(db, caller.tenantId, params.dashboard_id))) throw dashboardNotFound()
  })
}

type DashboardDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>

/** @throws ApiError NOT_FOUND for an unknown project, CONFLICT when the name is taken */
export async function createDashboard(
  deps: DashboardDeps,
  tenantId: string,
  request: DashboardCreate,
): Promise<Dashboard> {
  const projectId = request.session_id ?? null
  if (projectId !== null && (await findProject(deps, tenantId, projectId)) === undefined) {
    throw new ApiError('NOT_FOUND', 'Session not found')
  }
  const now = timeOfEpochMs(deps.clock())
  const row: DashboardRow = {
    id: deps.ids(),
    tenant_id: tenantId,
    project_id: projectId,
    name: request.name,
    charts: request.charts,
    created_at: now,
    modified_at: now,
  }
  if (!(await insertDashboard(deps.relational.db, row))) throw nameConflict(request.name)
  return presentDashboard(row)
}

/** @throws ApiError NOT_FOUND; CONFLICT for a name that is taken, or when it changed since the caller read it */
export async function changeDashboard(
  deps: DashboardDeps,
  tenantId: string,
  id: string,
  change: DashboardUpdate,
): Promise<Dashboard> {
  return deps.relational.transaction(async (tx) => {
    const row = await lockDashboard(tx, tenantId, id)
    if (row === undefined) throw dashboardNotFound()
    const { modified_at, expected } = change
    assertExpected(WHAT, { ...(modified_at && { modified_at }), ...expected }, { ...row })
    const next = {
      ...row,
      name: change.name ?? row.name,
      charts: change.charts ?? row.charts,
      modified_at: timeOfEpochMs(deps.clock()),
    }
    if (await isDashboardNameTaken(tx, next)) throw nameConflict(next.name)
    await updateDashboard(tx, next)
    return presentDashboard(next)
  })
}

const WHAT = 'The dashboard'

function dashboardNotFound(): ApiError {
  return new ApiError('NOT_FOUND', 'Dashboard not found')
}

function presentDashboard({ project_id, ...row }: DashboardRow): Dashboard {
  return { ...row, session_id: project_id }
}

function nameConflict(name: string): ApiError {
  return new ApiError('CONFLICT', `A dashboard named ${JSON.stringify(name)} already exists.`)
}

/** Dashboards of the workspace, and of one project if named, by name. */
export function selectDashboards(
  db: Database,
  tenantId: string,
  projectId: string | undefined,
): Promise<DashboardRow[]> {
  const isOffered =
    projectId === undefined
      ? isNull(dashboards.project_id)
      : or(isNull(dashboards.project_id), eq(dashboards.project_id, projectId))
  return db
    .select()
    .from(dashboards)
    .where(and(eq(dashboards.tenant_id, tenantId), isOffered))
    .orderBy(asc(dashboards.name), asc(dashboards.id))
}

export async function selectDashboard(db: Database, tenantId: string, id: string): Promise<DashboardRow | undefined> {
  const [row] = await db.select().from(dashboards).where(whereDashboard(tenantId, id))
  return row
}

/** Selects and locks a dashboard until the transaction ends, which serializes concurrent changes. */
async function lockDashboard(tx: Database, tenantId: string, id: string): Promise<DashboardRow | undefined> {
  const [row] = await tx.select().from(dashboards).where(whereDashboard(tenantId, id)).for('update')
  return row
}

/** Whether another dashboard of the same project or workspace has the name. */
async function isDashboardNameTaken(db: Database, row: DashboardRow): Promise<boolean> {
  const inProject = row.project_id === null ? isNull(dashboards.project_id) : eq(dashboards.project_id, row.project_id)
  const others = await db
    .select({ id: dashboards.id })
    .from(dashboards)
    .where(
      and(eq(dashboards.tenant_id, row.tenant_id), inProject, eq(dashboards.name, row.name), ne(dashboards.id, row.id)),
    )
    .limit(1)
  return others.length > 0
}

/** @returns false when the name is taken */
async function insertDashboard(db: Database, row: DashboardRow): Promise<boolean> {
  const written = await db.insert(dashboards).values(row).onConflictDoNothing().returning({ id: dashboards.id })
  return written.length > 0
}

async function updateDashboard(db: Database, row: DashboardRow): Promise<void> {
  await db.update(dashboards).set(row).where(whereDashboard(row.tenant_id, row.id))
}

/** @returns false when it does not exist */
export async function deleteDashboard(db: Database, tenantId: string, id: string): Promise<boolean> {
  const gone = await db.delete(dashboards).where(whereDashboard(tenantId, id)).returning({ id: dashboards.id })
  return gone.length > 0
}

function whereDashboard(tenantId: string, id: string) {
  return and(eq(dashboards.tenant_id, tenantId), eq(dashboards.id, id))
}
