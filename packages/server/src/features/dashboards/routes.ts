import { contract } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { type App, serve } from '../../http/serve.ts'
import { changeDashboard, createDashboard, dashboardNotFound, presentDashboard } from './save-dashboard.ts'
import { deleteDashboard, selectDashboard, selectDashboards } from './store.ts'

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
