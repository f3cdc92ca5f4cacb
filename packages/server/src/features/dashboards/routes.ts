import {
  ApiError,
  contract,
  type Dashboard,
  type DashboardCreate,
  type DashboardUpdate,
  timeOfEpochMs,
} from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { type App, serve } from '../../http/serve.ts'
import type { DashboardRow } from '../../storage/relational/tables/dashboards.ts'
import { findProject } from '../projects/index.ts'
import {
  deleteDashboard,
  insertDashboard,
  isNameTaken,
  lockDashboard,
  selectDashboard,
  selectDashboards,
  updateDashboard,
} from './store.ts'

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
    if (change.modified_at && change.modified_at !== row.modified_at) {
      throw new ApiError('CONFLICT', 'Somebody else has saved this dashboard since it was read.')
    }
    const next = {
      ...row,
      name: change.name ?? row.name,
      charts: change.charts ?? row.charts,
      modified_at: timeOfEpochMs(deps.clock()),
    }
    if (await isNameTaken(tx, next)) throw nameConflict(next.name)
    await updateDashboard(tx, next)
    return presentDashboard(next)
  })
}

function dashboardNotFound(): ApiError {
  return new ApiError('NOT_FOUND', 'Dashboard not found')
}

function presentDashboard({ project_id, ...row }: DashboardRow): Dashboard {
  return { ...row, session_id: project_id }
}

function nameConflict(name: string): ApiError {
  return new ApiError('CONFLICT', `There is a dashboard named ${JSON.stringify(name)} already.`)
}
