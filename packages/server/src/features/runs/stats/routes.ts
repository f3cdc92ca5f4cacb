import { contract } from '@touchstone/contract'
import { type App, serve } from '../../../http/serve.ts'
import { readThreadPreviews } from '../../threads/read-thread-previews.ts'
import { listThreads, readThreadStats } from '../../threads/read-threads.ts'
import { readFacets } from './facets.ts'
import { judgeQuery } from './judge-query.ts'
import { readHistogram } from './read-histogram.ts'
import { readProjectMetadata } from './read-project-metadata.ts'
import { readSeries } from './read-series.ts'
import { readStats, type StatsDeps } from './read-stats.ts'

export function runStatsRoutes(app: App, deps: StatsDeps): void {
  const { runStats, runSeries, queryTools } = contract

  serve(app, runStats.stats, ({ body, caller }) => readStats(deps, caller.tenantId, body))
  serve(app, runStats.group, ({ body, caller }) => listThreads(deps, caller.tenantId, body))
  serve(app, runStats.groupStats, ({ body, caller }) => readThreadStats(deps, caller.tenantId, body))
  serve(app, runStats.thread, ({ params, query, caller }) =>
    readThreadPreviews(deps, caller.tenantId, {
      id: params.thread_id,
      projectId: query.session_id,
      select: query.select,
    }),
  )
  serve(app, runStats.projectMetadata, ({ params, query, caller }) =>
    readProjectMetadata(deps, caller.tenantId, {
      projectId: params.session_id,
      keys: query.metadata_keys,
      values: query.k,
      rootsOnly: query.root_runs_only,
      since: query.start_time,
    }),
  )

  serve(app, runSeries.series, ({ body, caller }) => readSeries(deps, caller.tenantId, body))
  serve(app, runSeries.histogram, ({ body, caller }) => readHistogram(deps, caller.tenantId, body))
  serve(app, runSeries.facets, ({ body, caller }) => readFacets(deps, caller.tenantId, body))

  serve(app, queryTools.validate, async ({ body }) => judgeQuery(body))
  serve(app, queryTools.generate, async ({ body }) => ({
    filter: `search(${JSON.stringify(body.query)})`,
    feedback_urls: {},
  }))
  serve(app, queryTools.rules, async () => [])
}
