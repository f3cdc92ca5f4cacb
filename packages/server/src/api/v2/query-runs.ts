import { RunConditions, type RunV2Query } from '@touchstone/contract'
import { experimentIdsOf } from '../../features/projects/index.ts'
import { type LookUpDeps, ofIds, parseCursor, readViews, whereOf } from '../../features/runs/index.ts'
import { RawJson } from '../../http/raw-json.ts'
import { join } from '../../storage/analytics/sql.ts'
import { fieldsBehind, presentRunV2, selected } from './present-run.ts'
import { refuseSemanticSearch } from './semantic-search.ts'
import { withSubtreeFirstTokens } from './subtree-first-tokens.ts'
import { aDayBefore } from './window.ts'

/** A page of the runs that a query asks for. */
export async function queryRunsV2(
  deps: LookUpDeps,
  tenantId: string,
  query: RunV2Query,
  origin: string,
): Promise<RawJson> {
  refuseSemanticSearch(query)
  const { reference_dataset_id, ids, sort_order } = query
  const projectIds = reference_dataset_id
    ? await experimentIdsOf(deps, tenantId, reference_dataset_id)
    : query.project_ids!
  if (projectIds.length === 0) return new RawJson('{"items":[],"has_more":false}')

  // Whoever names runs means them, however old they are; so does whoever names a dataset with its experiments.
  const isNamed = Boolean(ids?.length || query.trace_id || reference_dataset_id)
  const conditions = RunConditions.parse({
    session: projectIds,
    trace: query.trace_id,
    is_root: query.is_root,
    error: query.has_error,
    run_type: query.run_type,
    reference_example: query.reference_examples,
    start_time: query.min_start_time ?? (isNamed ? undefined : aDayBefore(deps.clock)),
    end_time: query.max_start_time,
    filter: query.filter,
    trace_filter: query.trace_filter,
    tree_filter: query.tree_filter,
    query: query.ai_query,
  })
  const cursor = query.cursor ? parseCursor(query.cursor) : undefined
  const where = join([
    whereOf(tenantId, { ...conditions, order: sort_order, feedbackWindow: feedbackWindowOf(query) }, cursor),
    ...(ids?.length ? [ofIds(tenantId, ids)] : []),
  ])
  const selects = selected(query.selects)
  const page = { ...conditions, id: ids, order: sort_order, limit: query.page_size }
  const { views, next } = await readViews(deps, tenantId, where, fieldsBehind(selects), page)
  const asksFirstToken = query.include_subtree_usage && selects.includes('FIRST_TOKEN_TIME')
  const shown = asksFirstToken ? await withSubtreeFirstTokens(deps, tenantId, views) : views
  const items = shown.map((view) => presentRunV2(view, selects, origin))
  return new RawJson(`{"items":[${items.join(',')}],${nextCursor(next)}"has_more":${next !== undefined}}`)
}

/** When the feedback was changed that the filters of a query speak of; `undefined` when it does not matter. */
export function feedbackWindowOf(query: Pick<RunV2Query, 'min_feedback_modified_at' | 'max_feedback_modified_at'>) {
  const { min_feedback_modified_at: from, max_feedback_modified_at: until } = query
  return from || until ? { from, until } : undefined
}

/** The member that leads to the next page; the last page has none. */
export function nextCursor(next: string | undefined): string {
  return next === undefined ? '' : `"next_cursor":${JSON.stringify(next)},`
}
