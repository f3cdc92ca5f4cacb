import { contract, FilterError, parseFilter, type QueryVerdict, RunQuery } from '@touchstone/contract'
import { type App, serve } from '../../../http/serve.ts'
import { readHistogram } from './buckets.ts'
import { readErrors } from './errors.ts'
import { readFacets, readProjectMetadata } from './facets.ts'
import { readStats, type StatsDeps } from './read-stats.ts'
import { readSeries } from './series.ts'

export function runStatsRoutes(app: App, deps: StatsDeps): void {
  const { runStats, runSeries, runErrors, queryTools } = contract

  serve(app, runStats.stats, ({ body, caller }) => readStats(deps, caller.tenantId, body))
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
  serve(app, runErrors.query, ({ body, caller }) => readErrors(deps, caller.tenantId, body))

  serve(app, queryTools.validate, async ({ body }) => validateQuery(body))
  serve(app, queryTools.generate, async ({ body }) => ({
    filter: `search(${JSON.stringify(body.query)})`,
    feedback_urls: {},
  }))
}

const FILTERS = ['filter', 'trace_filter', 'tree_filter', 'search_filter'] as const

/** Finds all errors of a query, field by field, without running it. */
function validateQuery(body: unknown): QueryVerdict {
  const parsed = RunQuery.safeParse(body)
  const errors = parsed.success
    ? FILTERS.flatMap((field) => findFilterErrors(field, parsed.data[field]))
    : parsed.error.issues.map(({ path, message }) => ({ field: path.join('.'), message }))
  return { valid: errors.length === 0, errors }
}

function findFilterErrors(field: string, text: string | null | undefined): QueryVerdict['errors'] {
  try {
    parseFilter(text ?? '')
    return []
  } catch (error) {
    if (error instanceof FilterError) return [{ field, message: error.message }]
    throw error
  }
}
