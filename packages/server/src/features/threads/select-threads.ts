import type { ThreadV2Query } from '@touchstone/contract'
import { type Fragment, literal, printedTime, sql, text, time, uint } from '../../storage/analytics/sql.ts'
import type { LookUpDeps } from '../runs/index.ts'
import { parseThreadCursor } from './thread-cursor.ts'
import { readThreadFilter } from './thread-filter.ts'
import { type Turns, usageByThread, whereTurns } from './turns.ts'

/** A thread as it is found: times in the column store's form, latencies in seconds. */
export interface ThreadRow {
  readonly thread_id: string
  readonly turns: string
  readonly errored: string
  readonly first_trace: string
  readonly last_trace: string
  /** Nil when no trace failed. */
  readonly failed_trace: string
  readonly first_start: string
  readonly last_start: string
  readonly last_end: string | null
  /** Roots that ended; of none, `latency` is nothing. */
  readonly ended: string
  /** Quantiles 0.5 and 0.99. */
  readonly latency: readonly (number | null)[]
}

/** What threads are summed up to; column names of `runs` are not used again, or the engine would take one for the other. */
const SUMS = literal(`thread_id,
        count() as turns,
        countIf(status = 'error') as errored,
        argMin(id, (start_time, id)) as first_trace,
        argMax(id, (start_time, id)) as last_trace,
        argMaxIf(id, (start_time, id), status = 'error') as failed_trace,
        min(start_time) as first_start,
        max(start_time) as last_start,
        max(end_time) as last_end,
        countIf(end_time is not null) as ended,
        quantilesExactIf(0.5, 0.99)(dateDiff('microsecond', start_time, end_time) / 1e6, end_time is not null) as latency`)

/** Sums of one thread; nothing when it has no turns. */
export async function selectThread({ analytics }: LookUpDeps, where: Fragment): Promise<ThreadRow | undefined> {
  const [row] = await analytics.query<ThreadRow>(sql`
      select ${SUMS}
      from runs final
      where ${where}
      group by thread_id`)
  return row
}

/**
 * Threads in the order of their latest activity, one more than a page, in one query. Tokens and costs of every thread
 * are summed only when a filter asks for them.
 */
export function selectThreads(
  { analytics }: LookUpDeps,
  tenantId: string,
  turns: Turns,
  query: ThreadV2Query,
): Promise<ThreadRow[]> {
  const after = query.cursor ? isAfter(query.cursor) : sql`true`
  return analytics.query<ThreadRow>(sql`
    select ${literal(ROW.join(', '))}
    ${fromThreads(tenantId, turns, query)} and ${after}
    order by last_start desc, thread_id desc
    limit ${uint(query.page_size + 1)}`)
}

/** What a query asks of threads as a whole. */
export type ThreadFilters = Pick<ThreadV2Query, 'thread_filter' | 'trace_filter' | 'tree_filter'>

/** Turns of the threads that satisfy the filters, as a condition on rows of `runs`. */
export function whereTurnsOfThreads(tenantId: string, turns: Turns, filters: ThreadFilters): Fragment {
  const where = whereTurns(tenantId, turns)
  if (!filters.thread_filter && !filters.trace_filter && !filters.tree_filter) return where
  return sql`${where} and thread_id in (select thread_id ${fromThreads(tenantId, turns, filters)})`
}

/** `from` and `where` of threads with the columns `SUMS`. */
function fromThreads(tenantId: string, turns: Turns, filters: ThreadFilters): Fragment {
  const where = whereTurns(tenantId, turns)
  const { projectId, from, until } = turns
  const hasTrace = (of: Partial<Turns>) =>
    sql`thread_id in (select thread_id from runs final where ${whereTurns(tenantId, { projectId, from, until, ...of })})`
  const wanted = readThreadFilter(filters.thread_filter, (alsoFilter) => hasTrace({ ...turns, alsoFilter }))
  const usage = sql`left join (${usageByThread(tenantId, where, ['total_tokens', 'total_cost'])}) as usage using (thread_id)`
  const conditions = [
    ...(filters.trace_filter ? [hasTrace({ filter: filters.trace_filter })] : []),
    ...(filters.tree_filter ? [hasTrace({ treeFilter: filters.tree_filter })] : []),
    ...(wanted ? [wanted.where] : []),
  ]
  return sql`from (
      select ${SUMS}
      from runs final
      where ${where}
      group by thread_id
    ) as threads
    ${wanted?.needsUsage ? usage : literal('')}
    where ${conditions.reduce((all, one) => sql`${all} and ${one}`, sql`true`)}`
}

const ROW = [
  'thread_id',
  'turns',
  'errored',
  'first_trace',
  'last_trace',
  'failed_trace',
  'first_start',
  'last_start',
  'last_end',
  'ended',
  'latency',
] as const satisfies readonly (keyof ThreadRow)[]

function isAfter(cursor: string): Fragment {
  const { startTime, threadId } = parseThreadCursor(cursor)
  return sql`(last_start, thread_id) < (${time(startTime)}, ${text(threadId)})`
}

/** The median and the 99th percentile in seconds; null while no root has ended. */
export function latenciesOf(row: ThreadRow): [number | null, number | null] {
  return row.ended === '0' ? [null, null] : [row.latency[0] ?? null, row.latency[1] ?? null]
}

export const orNull = (column: string | null) => (column === null ? null : printedTime(column))
