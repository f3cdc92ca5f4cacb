import { contract } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/caller.ts'
import { type App, serve } from '../../../http/serve.ts'
import { toIdentityId } from '../../accounts/auth/index.ts'
import { changeView, createView, presentView, viewNotFound } from './save-view.ts'
import { deleteView, selectViews, type Viewer } from './store.ts'

export function savedViewRoutes(app: App, deps: Pick<Deps, 'relational' | 'clock' | 'ids'>): void {
  const { savedViews } = contract
  const { db } = deps.relational

  serve(app, savedViews.list, async ({ caller, query }) =>
    (await selectViews(db, viewerOf(caller), query.session_id)).map(presentView),
  )
  serve(app, savedViews.create, ({ caller, body }) => createView(deps, viewerOf(caller), body))
  serve(app, savedViews.update, ({ caller, params, body }) => changeView(deps, viewerOf(caller), params.view_id, body))
  serve(app, savedViews.delete, async ({ caller, params }) => {
    if (!(await deleteView(db, viewerOf(caller), params.view_id))) throw viewNotFound()
  })
}

function viewerOf(caller: Caller): Viewer {
  return { tenantId: caller.tenantId, identity: toIdentityId(caller) }
}
