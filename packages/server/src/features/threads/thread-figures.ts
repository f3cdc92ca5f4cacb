import {
  ApiError,
  THREAD_STAT_SELECTS,
  THREAD_TOTAL_SELECTS,
  type ThreadStatSelect,
  type ThreadTotalSelect,
  type ThreadTotalsQuery,
} from '@touchstone/contract'
import { microsBetween } from '../../storage/analytics/durations.ts'
import { type Fragment, literal, sql, uuid } from '../../storage/analytics/sql.ts'
import { columns, count, list, nullable, number, type RowOf } from '../../storage/rows.ts'
import { readConversationFeedbackStats } from '../feedback/index.ts'
import type { RunViewDeps } from '../runs/index.ts'
import { oneDayAgo } from '../runs/selection/index.ts'
import { selectThread, type ThreadRow, toLatencies, toTimeOrNull, whereTurnsInThreads } from './select-threads.ts'
import { readUsageByThread, sumUsageByTrace, USAGE_COLUMNS, USAGE_SUMS, type UsageColumn, whereTurns } from './turns.ts'

/**
 * The selected figures over all threads of a query, as one flat object.
 *
 * @throws ApiError INVALID_REQUEST when no known figure is selected
 */
export async function readThreadTotals(
  deps: RunViewDeps,
  tenantId: string,
  query: ThreadTotalsQuery,
): Promise<Record<string, unknown>> {
  const selects = THREAD_TOTAL_SELECTS.filter((select) => query.select.includes(select))
  if (selects.length === 0) throw new ApiError('INVALID_REQUEST', 'select: name at least one figure')
  const turns = {
    projectId: query.project_id,
    from: query.min_start_time ?? oneDayAgo(deps.clock),
    until: query.max_start_time,
    filter: query.filter,
  }
  const where = whereTurnsInThreads(tenantId, turns, query)
  const asksUsage = selects.some((select) => select === 'MEDIAN_TOKENS' || isUsage(select))
  const [[traces], [usage], feedback] = await Promise.all([
    selects.some((select) => select in TRACE_FIGURES)
      ? deps.analytics.query(selectTraceTotals(tenantId, where, selects.some(asksFirstToken)), TRACE_TOTALS)
      : [],
    asksUsage ? deps.analytics.query(selectUsageTotals(tenantId, where), USAGE_TOTALS) : [],
    selects.includes('THREAD_FEEDBACK_STATS') ? readFeedback(deps, tenantId, query.project_id, where) : undefined,
  ])
  return Object.fromEntries(
    selects.map((select) => {
      const key = TOTAL_KEYS[select] ?? select.toLowerCase()
      if (select === 'THREAD_FEEDBACK_STATS') return [key, feedback]
      if (select === 'MEDIAN_TOKENS') return [key, usage?.median_tokens ?? null]
      const presentTraces = TRACE_FIGURES[select]
      if (presentTraces === undefined) return [key, presentTotal(key as UsageColumn, usage)]
      return [key, traces === undefined ? null : presentTraces(traces)]
    }),
  )
}

/** Figures of the feedback on the selected turns and on their threads. */
async function readFeedback(deps: RunViewDeps, tenantId: string, projectId: string, where: Fragment) {
  const turns = sql`select id, thread_id from runs final where ${where}`
  return (await readConversationFeedbackStats(deps, tenantId, projectId, turns, 'all')).get('') ?? {}
}

const TOTAL_KEYS: Partial<Record<ThreadTotalSelect, string>> = {
  LATENCY_P50: 'latency_p50_seconds',
  LATENCY_P99: 'latency_p99_seconds',
  FIRST_TOKEN_P50: 'first_token_p50_seconds',
  FIRST_TOKEN_P99: 'first_token_p99_seconds',
}

const isUsage = (select: string) => (USAGE_COLUMNS as readonly string[]).includes(select.toLowerCase())
const asksFirstToken = (select: string) => select === 'STREAMING_RATE' || select.startsWith('FIRST_TOKEN')

const TRACE_TOTALS = columns({
  threads: count,
  traces: count,
  errored: count,
  ended: count,
  streamed: count,
  with_first_token: count,
  /** Quantiles 0.5 and 0.99 in seconds, null without traces. */
  latency: list(nullable(number)),
  first_token: list(nullable(number)),
})

type TraceTotals = RowOf<typeof TRACE_TOTALS>

const rate = (part: number, of: number) => (of === 0 ? null : part / of)

const TRACE_FIGURES: Partial<Record<ThreadTotalSelect, (totals: TraceTotals) => number | null>> = {
  THREAD_COUNT: ({ threads }) => threads,
  TRACE_COUNT: ({ traces }) => traces,
  ERROR_RATE: ({ errored, traces }) => rate(errored, traces),
  STREAMING_RATE: ({ streamed, ended }) => rate(streamed, ended),
  LATENCY_P50: ({ ended, latency }) => (ended === 0 ? null : (latency[0] ?? null)),
  LATENCY_P99: ({ ended, latency }) => (ended === 0 ? null : (latency[1] ?? null)),
  FIRST_TOKEN_P50: (totals) => (totals.with_first_token === 0 ? null : (totals.first_token[0] ?? null)),
  FIRST_TOKEN_P99: (totals) => (totals.with_first_token === 0 ? null : (totals.first_token[1] ?? null)),
}

/** Figures over the roots; a trace streams when any of its runs has a first token. */
function selectTraceTotals(tenantId: string, where: Fragment, asksTokens: boolean): Fragment {
  const firsts = sql`left join (
        select trace_id, min(first_token_time) as first_at
        from trace_runs final
        where tenant_id = ${uuid(tenantId)} and trace_id in (select trace_id from runs final where ${where})
          and first_token_time is not null
        group by trace_id
      ) as firsts using (trace_id)`
  return sql`
    select uniqExact(thread_id) as threads,
      count() as traces,
      countIf(status = 'error') as errored,
      countIf(end_time is not null) as ended,
      countIf(end_time is not null and first_at is not null) as streamed,
      countIf(first_at is not null) as with_first_token,
      quantilesExactIf(0.5, 0.99)(${literal(microsBetween('start_time', 'end_time'))} / 1e6, end_time is not null) as latency,
      quantilesExactIf(0.5, 0.99)(${literal(microsBetween('start_time', 'first_at'))} / 1e6, first_at is not null) as first_token
    from (
      select trace_id, thread_id, status, start_time, end_time from runs final where ${where}
    ) as turns
    ${asksTokens ? firsts : literal('cross join (select cast(null as Nullable(DateTime64(6))) as first_at) as firsts')}`
}

const USAGE_TOTALS = columns({ median_tokens: nullable(number), ...USAGE_SUMS })

type UsageTotals = RowOf<typeof USAGE_TOTALS>

function selectUsageTotals(tenantId: string, where: Fragment): Fragment {
  const sums = USAGE_COLUMNS.map((column) => {
    const sum = column.endsWith('_details') ? 'sumMap' : 'sum'
    return `${sum}(used.${column}) as ${column}`
  })
  return sql`
    select ${literal(sums.join(', '))}, toFloat64(quantileExact(0.5)(used.total_tokens)) as median_tokens
    from (${sumUsageByTrace(tenantId, where, USAGE_COLUMNS)}) as used`
}

/** Tokens without reports are 0; unknown costs are null. */
function presentTotal(column: UsageColumn, totals: UsageTotals | undefined): unknown {
  const value = totals?.[column] ?? null
  if (column.endsWith('_details')) return value ?? {}
  return column.endsWith('_tokens') ? (value ?? 0) : value
}

interface ThreadStatsQuery {
  readonly session_id: string
  readonly filter?: string | undefined
  readonly selects: readonly string[]
}

/**
 * The selected figures over the traces of a thread. Without traces, `turns` is 0 and the others are null.
 *
 * @throws ApiError INVALID_REQUEST when no known figure is selected
 */
export async function readThreadStats(
  deps: RunViewDeps,
  tenantId: string,
  threadId: string,
  query: ThreadStatsQuery,
): Promise<Record<string, unknown>> {
  const selects = THREAD_STAT_SELECTS.filter((select) => query.selects.includes(select))
  if (selects.length === 0) throw new ApiError('INVALID_REQUEST', 'selects: name at least one figure')
  const where = whereTurns(tenantId, { projectId: query.session_id, filter: query.filter, threadIds: [threadId] })
  const usageColumns = USAGE_COLUMNS.filter((column) => selects.includes(column.toUpperCase() as ThreadStatSelect))
  const [row, usage, feedback] = await Promise.all([
    selects.some((select) => select in TURN_FIGURES) ? selectThread(deps, where) : undefined,
    usageColumns.length > 0 ? readUsageByThread(deps, tenantId, where, usageColumns) : undefined,
    selects.includes('FEEDBACK_STATS') ? readFeedback(deps, tenantId, query.session_id, where) : undefined,
  ])
  return Object.fromEntries(
    selects.map((select) => {
      const key = STAT_KEYS[select] ?? select.toLowerCase()
      const ofTurns = TURN_FIGURES[select]
      if (ofTurns !== undefined) return [key, ofTurns(row)]
      if (select === 'FEEDBACK_STATS') return [key, feedback]
      return [key, presentThreadUsage(usage?.[0]?.[key as UsageColumn])]
    }),
  )
}

const STAT_KEYS: Partial<Record<ThreadStatSelect, string>> = {
  LATENCY_P50: 'latency_p50_seconds',
  LATENCY_P99: 'latency_p99_seconds',
}

/** Figures that are derived from the roots alone. */
const TURN_FIGURES: Partial<Record<ThreadStatSelect, (row: ThreadRow | undefined) => unknown>> = {
  TURNS: (row) => row?.turns ?? 0,
  FIRST_START_TIME: (row) => toTimeOrNull(row?.first_start ?? null),
  LAST_START_TIME: (row) => toTimeOrNull(row?.last_start ?? null),
  LAST_END_TIME: (row) => toTimeOrNull(row?.last_end ?? null),
  LATENCY_P50: (row) => (row ? toLatencies(row)[0] : null),
  LATENCY_P99: (row) => (row ? toLatencies(row)[1] : null),
}

function presentThreadUsage(value: number | Readonly<Record<string, number>> | null = null): unknown {
  return typeof value === 'object' && value !== null ? { raw: value } : value
}
