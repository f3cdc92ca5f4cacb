import { contract } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { type App, serve } from '../../http/serve.ts'
import { changeView, createView, presentView, viewNotFound } from './save-view.ts'
import { deleteView, selectViews } from './store.ts'

export function savedViewRoutes(app: App, deps: Pick<Deps, 'relational' | 'clock' | 'ids'>): void {
  const { savedViews } = contract
  const { db } = deps.relational

  serve(app, savedViews.list, async ({ caller, query }) =>
    (await selectViews(db, caller.tenantId, query.session_id)).map(presentView),
  )
  serve(app, savedViews.create, ({ caller, body }) => createView(deps, caller.tenantId, body))
  serve(app, savedViews.update, ({ caller, params, body }) => changeView(deps, caller.tenantId, params.view_id, body))
  serve(app, savedViews.delete, async ({ caller, params }) => {
    if (!(await deleteView(db, caller.tenantId, params.view_id))) throw viewNotFound()
  })
}
