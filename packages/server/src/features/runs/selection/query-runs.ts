import {
  ApiError,
  RunConditions,
  type RunSelect,
  type RunV2Query,
  type TraceV2Query,
  timeOfEpochMs,
} from '@touchstone/contract'
import type { Clock } from '../../../deps.ts'
import { RawJson } from '../../../http/serve.ts'
import { join, sql, texts, time, uuid, uuids } from '../../../storage/analytics/sql.ts'
import { columns, nullable, text } from '../../../storage/rows.ts'
import { selectExperimentIds } from '../../projects/index.ts'
import { appPath, parseCursor, type RunView, type RunViewDeps, readRunViews, whereRunIds, whereRuns } from '../index.ts'
import { presentSelectedRun, toRunFields, toRunSelects } from './fields.ts'

/** A page of the runs of a query. */
export async function queryRuns(
  deps: RunViewDeps,
  tenantId: string,
  query: RunV2Query,
  origin: string,
): Promise<RawJson> {
  assertNoSemanticSearch(query)
  const { reference_dataset_id, ids, sort_order } = query
  const projectIds = reference_dataset_id
    ? await selectExperimentIds(deps, tenantId, reference_dataset_id)
    : (query.project_ids ?? [])
  if (projectIds.length === 0) return new RawJson('{"items":[],"has_more":false}')

  // The default time window does not apply to queries for given runs, traces or datasets.
  const isNamed = Boolean(ids?.length || query.trace_id || reference_dataset_id)
  const conditions = RunConditions.parse({
    session: projectIds,
    trace: query.trace_id,
    is_root: query.is_root,
    error: query.has_error,
    run_type: query.run_type,
    reference_example: query.reference_examples,
    start_time: query.min_start_time ?? (isNamed ? undefined : oneDayAgo(deps.clock)),
    end_time: query.max_start_time,
    filter: query.filter,
    trace_filter: query.trace_filter,
    tree_filter: query.tree_filter,
    query: query.ai_query,
  })
  const cursor = query.cursor ? parseCursor(query.cursor) : undefined
  const where = join([
    whereRuns(tenantId, { ...conditions, order: sort_order, feedbackWindow: toFeedbackWindow(query) }, cursor),
    ...(ids?.length ? [whereRunIds(tenantId, ids)] : []),
  ])
  const selects = toRunSelects(query.selects)
  const page = { ...conditions, id: ids, order: sort_order, limit: query.page_size }
  const { views, next } = await readRunViews(deps, tenantId, where, toRunFields(selects), page)
  const asksFirstToken = query.include_subtree_usage && selects.includes('FIRST_TOKEN_TIME')
  const shown = asksFirstToken ? await withSubtreeFirstTokens(deps, tenantId, views) : views
  const items = shown.map((view) => presentSelectedRun(view, selects, origin))
  return new RawJson(`{"items":[${items.join(',')}],${printNextCursor(next)}"has_more":${next !== undefined}}`)
}

/** All runs of a trace that satisfy a filter. */
export async function listTraceRuns(
  deps: RunViewDeps,
  tenantId: string,
  query: {
    readonly project_id: string
    readonly trace_id: string
    readonly filter?: string | undefined
    readonly min_start_time?: string | undefined
    readonly max_start_time?: string | undefined
    readonly selects: readonly string[]
  },
  origin: string,
): Promise<RawJson> {
  const conditions = RunConditions.parse({
    session: [query.project_id],
    trace: query.trace_id,
    filter: query.filter,
    start_time: query.min_start_time,
    end_time: query.max_start_time,
  })
  const selects = toRunSelects(query.selects)
  const where = whereRuns(tenantId, conditions)
  const { views } = await readRunViews(deps, tenantId, where, toRunFields(selects), { all: 'asc' })
  return presentItems(views, selects, origin)
}

/** JSON text of all runs, without pages. */
export function presentItems(views: readonly RunView[], selects: readonly RunSelect[], origin: string): RawJson {
  return new RawJson(`{"items":[${views.map((view) => presentSelectedRun(view, selects, origin)).join(',')}]}`)
}

/** The window in which feedback was changed that the filters of a query match; `undefined` without bounds. */
export function toFeedbackWindow(query: Pick<RunV2Query, 'min_feedback_modified_at' | 'max_feedback_modified_at'>) {
  const { min_feedback_modified_at: from, max_feedback_modified_at: until } = query
  return from || until ? { from, until } : undefined
}

/** JSON member with the cursor of the next page; '' on the last page. */
export function printNextCursor(next: string | undefined): string {
  return next === undefined ? '' : `"next_cursor":${JSON.stringify(next)},`
}

interface RunKey {
  readonly runId: string
  readonly projectId: string
}

/** @throws ApiError NOT_FOUND when the project has no such run */
export async function readRun(
  deps: RunViewDeps,
  tenantId: string,
  key: RunKey,
  names: readonly string[],
  origin: string,
): Promise<RawJson> {
  const selects = toRunSelects(names)
  return new RawJson(presentSelectedRun(await getRunView(deps, tenantId, key, selects), selects, origin))
}

/**
 * URL of the web page of a run.
 *
 * @throws ApiError NOT_FOUND when the project has no such run
 */
export async function getRunUrl(deps: RunViewDeps, tenantId: string, key: RunKey, origin: string): Promise<string> {
  const { row } = await getRunView(deps, tenantId, key, ['ID'])
  return origin + appPath(tenantId, row)
}

async function getRunView(
  deps: RunViewDeps,
  tenantId: string,
  { runId, projectId }: RunKey,
  selects: readonly RunSelect[],
): Promise<RunView> {
  const where = join([whereRuns(tenantId, RunConditions.parse({ id: [runId] })), sql`session_id = ${uuid(projectId)}`])
  const [view] = (await readRunViews(deps, tenantId, where, toRunFields(selects), { all: 'asc' })).views
  if (view === undefined) throw new ApiError('NOT_FOUND', 'Run not found')
  return view
}

/** Fields that describe the whole trace instead of its root. */
const OF_TRACE = new Set<RunSelect>(['TOTAL_TOKENS', 'TOTAL_COST', 'FIRST_TOKEN_TIME'])

/** A page of traces: the root of each and figures of all its runs. */
export async function queryTraces(
  deps: RunViewDeps,
  tenantId: string,
  query: TraceV2Query,
  origin: string,
): Promise<RawJson> {
  assertNoSemanticSearch(query)
  const ids = query.trace_ids?.length ? query.trace_ids : undefined
  const conditions = RunConditions.parse({
    session: [query.project_id],
    is_root: true,
    start_time: query.min_start_time ?? (ids ? undefined : oneDayAgo(deps.clock)),
    filter: query.trace_filter,
    tree_filter: query.tree_filter,
  })
  const cursor = query.cursor ? parseCursor(query.cursor) : undefined
  const where = join([
    whereRuns(tenantId, { ...conditions, feedbackWindow: toFeedbackWindow(query) }, cursor),
    ...(query.max_start_time ? [sql`start_time < ${time(query.max_start_time)}`] : []),
    ...(ids ? [whereRunIds(tenantId, ids)] : []),
  ])
  const selects = toRunSelects(query.selects)
  const page = { ...conditions, id: ids, limit: query.page_size }
  const { views, next } = await readRunViews(deps, tenantId, where, toRunFields(selects), page)
  const firstTokens = selects.includes('FIRST_TOKEN_TIME') ? await readFirstTokens(deps, tenantId, views) : new Map()
  const items = views.map((view) => {
    const first = firstTokens.get(view.row.trace_id) ?? null
    const whole = { ...view, row: { ...view.row, first_token_time: first } }
    return presentTrace(whole, selects, origin)
  })
  return new RawJson(`{${printNextCursor(next)}"items":[${items.join(',')}]}`)
}

function presentTrace(view: RunView, selects: readonly RunSelect[], origin: string): string {
  const ofTrace = selects.filter((select) => OF_TRACE.has(select))
  const ofRoot = selects.filter((select) => !OF_TRACE.has(select))
  const root = `"root_run":${presentSelectedRun(view, ofRoot, origin)}`
  return ofTrace.length === 0
    ? `{${root}}`
    : `{${root},"trace_aggregates":${presentSelectedRun(view, ofTrace, origin)}}`
}

/** Time of the first token in each trace. */
async function readFirstTokens({ analytics }: RunViewDeps, tenantId: string, views: readonly RunView[]) {
  const rows = await analytics.query(
    sql`
    select trace_id, min(first_token_time) as first
    from trace_runs final
    where tenant_id = ${uuid(tenantId)} and trace_id in ${uuids(views.map((view) => view.row.trace_id))}
    group by trace_id`,
    columns({ trace_id: text, first: nullable(text) }),
  )
  return new Map(rows.map((row) => [row.trace_id, row.first]))
}

/**
 * The runs with the time of the first token of their whole subtree instead of their own.
 *
 * @param views  a page at most
 */
async function withSubtreeFirstTokens(
  { analytics }: RunViewDeps,
  tenantId: string,
  views: readonly RunView[],
): Promise<RunView[]> {
  if (views.length === 0) return []
  const rows = views.map((view) => view.row)
  const traces = uuids(rows.map((row) => row.trace_id))
  // An empty path for roots matches every run of the trace, including runs whose dotted order does not start with the root's.
  const paths = texts(rows.map((row) => (row.id === row.trace_id ? '' : row.dotted_order)))
  const found = await analytics.query(
    sql`
    select wanted.1 as id, min(first_token_time) as first
    from (
      select dotted_order, first_token_time,
        arrayJoin(arrayFilter(one -> one.2 = trace_id, arrayZip(${uuids(rows.map((row) => row.id))}, ${traces}, ${paths}))) as wanted
      from trace_runs final
      where tenant_id = ${uuid(tenantId)} and trace_id in ${traces} and first_token_time is not null
    )
    where wanted.3 = '' or dotted_order = wanted.3 or startsWith(dotted_order, concat(wanted.3, '.'))
    group by id`,
    columns({ id: text, first: text }),
  )
  const firsts = new Map(found.map(({ id, first }) => [id, first]))
  return views.map((view) => ({
    ...view,
    row: { ...view.row, first_token_time: firsts.get(view.row.id) ?? null },
  }))
}

/**
 * Rejects semantic search, which would require a model.
 *
 * @throws ApiError NOT_IMPLEMENTED for a query with words in one of these fields
 */
export function assertNoSemanticSearch(query: {
  readonly ai_search?: string | null | undefined
  readonly sem_filter?: string | null | undefined
}): void {
  for (const field of ['ai_search', 'sem_filter'] as const) {
    if (!query[field]?.trim()) continue
    throw new ApiError(
      'NOT_IMPLEMENTED',
      `This server does not offer ${field}; use filter, trace_filter or tree_filter.`,
    )
  }
}

const DAY_MS = 24 * 60 * 60 * 1000

/** Start of the default time window of a query. */
export function oneDayAgo(clock: Clock): string {
  return timeOfEpochMs(clock() - DAY_MS)
}
