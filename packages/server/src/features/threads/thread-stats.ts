import { ApiError, THREAD_STAT_SELECTS, type ThreadStatSelect } from '@touchstone/contract'
import { sql } from '../../storage/analytics/sql.ts'
import { feedbackStatsWhere } from '../feedback/index.ts'
import type { LookUpDeps } from '../runs/index.ts'
import { costOf } from './query-threads.ts'
import { latenciesOf, orNull, selectThread, type ThreadRow } from './select-threads.ts'
import { USAGE_COLUMNS, type UsageColumn, usageByThread, whereTurns } from './turns.ts'

export interface ThreadStatsQuery {
  readonly session_id: string
  readonly filter?: string | undefined
  readonly selects: readonly string[]
}

/**
 * The selected figures over the traces of a thread; of a thread without traces, `turns` is 0 and the others null.
 *
 * @throws ApiError INVALID_REQUEST when nothing that we know is selected
 */
export async function readThreadStats(
  deps: LookUpDeps,
  tenantId: string,
  threadId: string,
  query: ThreadStatsQuery,
): Promise<Record<string, unknown>> {
  const selects = THREAD_STAT_SELECTS.filter((select) => query.selects.includes(select))
  if (selects.length === 0) throw new ApiError('INVALID_REQUEST', 'selects: name at least one figure')
  const where = whereTurns(tenantId, { projectId: query.session_id, filter: query.filter, threadIds: [threadId] })
  const columns = USAGE_COLUMNS.filter((column) => selects.includes(column.toUpperCase() as ThreadStatSelect))
  const [row, usage, feedback] = await Promise.all([
    selects.some((select) => select in OF_TURNS) ? selectThread(deps, where) : undefined,
    columns.length > 0 ? deps.analytics.query<UsageRow>(usageByThread(tenantId, where, columns)) : undefined,
    selects.includes('FEEDBACK_STATS')
      ? feedbackStatsWhere(deps, tenantId, sql`select id from runs final where ${where}`)
      : undefined,
  ])
  return Object.fromEntries(
    selects.map((select) => {
      const key = KEYS[select] ?? select.toLowerCase()
      const ofTurns = OF_TURNS[select]
      if (ofTurns !== undefined) return [key, ofTurns(row)]
      if (select === 'FEEDBACK_STATS') return [key, feedback]
      return [key, presentUsage(usage?.[0]?.[key as UsageColumn])]
    }),
  )
}

type UsageRow = Partial<Record<UsageColumn, string | null | Readonly<Record<string, string>>>>

const KEYS: Partial<Record<ThreadStatSelect, string>> = {
  LATENCY_P50: 'latency_p50_seconds',
  LATENCY_P99: 'latency_p99_seconds',
}

/** Figures made of the roots alone. */
const OF_TURNS: Partial<Record<ThreadStatSelect, (row: ThreadRow | undefined) => unknown>> = {
  TURNS: (row) => Number(row?.turns ?? 0),
  FIRST_START_TIME: (row) => orNull(row?.first_start ?? null),
  LAST_START_TIME: (row) => orNull(row?.last_start ?? null),
  LAST_END_TIME: (row) => orNull(row?.last_end ?? null),
  LATENCY_P50: (row) => (row ? latenciesOf(row)[0] : null),
  LATENCY_P99: (row) => (row ? latenciesOf(row)[1] : null),
}

function presentUsage(value: UsageRow[UsageColumn]): unknown {
  if (typeof value !== 'object' || value === null) return costOf(value)
  return { raw: Object.fromEntries(Object.entries(value).map(([key, number]) => [key, Number(number)])) }
}
