import { RunConditions, type RunSelect, type TraceV2Query } from '@touchstone/contract'
import { type LookUpDeps, ofIds, parseCursor, type RunView, readViews, whereOf } from '../../features/runs/index.ts'
import { RawJson } from '../../http/raw-json.ts'
import { join, sql, time, uuid, uuids } from '../../storage/analytics/sql.ts'
import { fieldsBehind, presentRunV2, selected } from './present-run.ts'
import { feedbackWindowOf, nextCursor } from './query-runs.ts'
import { refuseSemanticSearch } from './semantic-search.ts'
import { aDayBefore } from './window.ts'

/** What is told of the whole trace rather than of its root. */
const OF_TRACE = new Set<RunSelect>(['TOTAL_TOKENS', 'TOTAL_COST', 'FIRST_TOKEN_TIME'])

/** A page of traces: the root of each, and figures of all its runs. */
export async function queryTraces(
  deps: LookUpDeps,
  tenantId: string,
  query: TraceV2Query,
  origin: string,
): Promise<RawJson> {
  refuseSemanticSearch(query)
  const ids = query.trace_ids?.length ? query.trace_ids : undefined
  const conditions = RunConditions.parse({
    session: [query.project_id],
    is_root: true,
    start_time: query.min_start_time ?? (ids ? undefined : aDayBefore(deps.clock)),
    filter: query.trace_filter,
    tree_filter: query.tree_filter,
  })
  const cursor = query.cursor ? parseCursor(query.cursor) : undefined
  const where = join([
    whereOf(tenantId, { ...conditions, feedbackWindow: feedbackWindowOf(query) }, cursor),
    ...(query.max_start_time ? [sql`start_time < ${time(query.max_start_time)}`] : []),
    ...(ids ? [ofIds(tenantId, ids)] : []),
  ])
  const selects = selected(query.selects)
  const page = { ...conditions, id: ids, limit: query.page_size }
  const { views, next } = await readViews(deps, tenantId, where, fieldsBehind(selects), page)
  const firstTokens = selects.includes('FIRST_TOKEN_TIME') ? await readFirstTokens(deps, tenantId, views) : new Map()
  const items = views.map((view) => {
    const first = firstTokens.get(view.row.trace_id) ?? null
    const whole = { ...view, row: { ...view.row, first_token_time: first } }
    return presentTrace(whole, selects, origin)
  })
  return new RawJson(`{${nextCursor(next)}"items":[${items.join(',')}]}`)
}

function presentTrace(view: RunView, selects: readonly RunSelect[], origin: string): string {
  const ofTrace = selects.filter((select) => OF_TRACE.has(select))
  const ofRoot = selects.filter((select) => !OF_TRACE.has(select))
  const root = `"root_run":${presentRunV2(view, ofRoot, origin)}`
  return ofTrace.length === 0 ? `{${root}}` : `{${root},"trace_aggregates":${presentRunV2(view, ofTrace, origin)}}`
}

/** When the first token came, anywhere in each trace. */
async function readFirstTokens({ analytics }: LookUpDeps, tenantId: string, views: readonly RunView[]) {
  const rows = await analytics.query<{ trace_id: string; first: string | null }>(sql`
    select trace_id, min(first_token_time) as first
    from trace_runs final
    where tenant_id = ${uuid(tenantId)} and trace_id in ${uuids(views.map((view) => view.row.trace_id))}
    group by trace_id`)
  return new Map(rows.map((row) => [row.trace_id, row.first]))
}
