import {
  ApiError,
  type Dashboard,
  type DashboardCreate,
  type DashboardUpdate,
  timeOfEpochMs,
} from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { DashboardRow } from '../../storage/relational/tables/dashboards.ts'
import { findProject } from '../projects/index.ts'
import { insertDashboard, isTaken, lockDashboard, updateDashboard } from './store.ts'

type DashboardDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>

/** @throws ApiError NOT_FOUND for a project that is not there, CONFLICT for a name that is taken */
export async function createDashboard(
  deps: DashboardDeps,
  tenantId: string,
  wish: DashboardCreate,
): Promise<Dashboard> {
  const projectId = wish.session_id ?? null
  if (projectId !== null && (await findProject(deps, tenantId, projectId)) === undefined) {
    throw new ApiError('NOT_FOUND', 'Session not found')
  }
  const now = timeOfEpochMs(deps.clock())
  const row: DashboardRow = {
    id: deps.ids(),
    tenant_id: tenantId,
    project_id: projectId,
    name: wish.name,
    charts: wish.charts,
    created_at: now,
    modified_at: now,
  }
  if (!(await insertDashboard(deps.relational.db, row))) throw nameTaken(wish.name)
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
    if (await isTaken(tx, next)) throw nameTaken(next.name)
    await updateDashboard(tx, next)
    return presentDashboard(next)
  })
}

export function dashboardNotFound(): ApiError {
  return new ApiError('NOT_FOUND', 'Dashboard not found')
}

export function presentDashboard({ project_id, ...row }: DashboardRow): Dashboard {
  return { ...row, session_id: project_id }
}

function nameTaken(name: string): ApiError {
  return new ApiError('CONFLICT', `There is a dashboard named ${JSON.stringify(name)} already.`)
}
