import { contract } from '@touchstone/contract'
import { type App, serve } from '../../http/serve.ts'
import type { StatsDeps } from '../runs/stats/index.ts'
import { listThreadGroups, readThreadGroupStats, readThreadPreviews } from './thread-groups.ts'

export function threadRoutes(app: App, deps: StatsDeps): void {
  const { runStats } = contract

  serve(app, runStats.group, ({ body, caller }) => listThreadGroups(deps, caller.tenantId, body))
  serve(app, runStats.groupStats, ({ body, caller }) => readThreadGroupStats(deps, caller.tenantId, body))
  serve(app, runStats.thread, ({ params, query, caller }) =>
    readThreadPreviews(deps, caller.tenantId, {
      id: params.thread_id,
      projectId: query.session_id,
      select: query.select,
    }),
  )
}
