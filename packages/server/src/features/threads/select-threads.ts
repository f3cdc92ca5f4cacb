import {
  type Comparison,
  type Filter,
  isKeyClause,
  isLogical,
  isNegative,
  parseFilter,
  parseTime,
  printFilter,
  THREAD_FILTERS,
  type ThreadV2Query,
  toPositive,
} from '@touchstone/contract'
import { decodeCursor, encodeCursor } from '../../http/cursor.ts'
import { microsBetween } from '../../storage/analytics/durations.ts'
import {
  all,
  any,
  type Fragment,
  literal,
  not,
  printedTime,
  sql,
  text,
  time,
  uint,
} from '../../storage/analytics/sql.ts'
import { columns, count, type Decoded, list, nullable, number, text as string } from '../../storage/rows.ts'
import { whereOnThreads } from '../feedback/index.ts'
import { column, compareFeedbackRecord, compareScalar, type Scalar, TYPES } from '../runs/filter/index.ts'
import type { RunViewDeps } from '../runs/index.ts'
import { sumUsageByThread, type Turns, whereTurns } from './turns.ts'

/** A thread as selected: times in the form of the engine, latencies in seconds. */
const THREAD_COLUMNS = {
  thread_id: string,
  turns: count,
  errored: count,
  first_trace: string,
  last_trace: string,
  /** Nil UUID when no trace failed. */
  failed_trace: string,
  first_start: string,
  last_start: string,
  last_end: nullable(string),
  /** Number of roots that ended; when 0, `latency` is meaningless. */
  ended: count,
  /** Quantiles 0.5 and 0.99. */
  latency: list(nullable(number)),
}

export type ThreadRow = Decoded<typeof THREAD_COLUMNS>

const THREAD_ROW = columns(THREAD_COLUMNS)

/** Aggregates of a thread. Aliases differ from the columns of `runs`, which the engine would confuse otherwise. */
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
        quantilesExactIf(0.5, 0.99)(${microsBetween('start_time', 'end_time')} / 1e6, end_time is not null) as latency`)

/** Aggregates of one thread, or undefined when it has no turns. */
export async function selectThread({ analytics }: RunViewDeps, where: Fragment): Promise<ThreadRow | undefined> {
  const [row] = await analytics.query(
    sql`
      select ${SUMS}
      from runs final
      where ${where}
      group by thread_id`,
    THREAD_ROW,
  )
  return row
}

/**
 * One page of threads and one more, the most recently active first, in one query. Tokens and costs of every thread are
 * summed only when a filter uses them.
 */
export function selectThreads(
  { analytics }: RunViewDeps,
  tenantId: string,
  turns: Turns,
  query: ThreadV2Query,
): Promise<ThreadRow[]> {
  const after = query.cursor ? isAfter(query.cursor) : sql`true`
  return analytics.query(
    sql`
    select ${literal(Object.keys(THREAD_COLUMNS).join(', '))}
    ${fromThreadSums(tenantId, turns, query)} and ${after}
    order by last_start desc, thread_id desc
    limit ${uint(query.page_size + 1)}`,
    THREAD_ROW,
  )
}

/** Filters on whole threads. */
export type ThreadFilters = Pick<ThreadV2Query, 'thread_filter' | 'trace_filter' | 'tree_filter'>

/** Turns of the threads that satisfy the filters, as a condition on rows of `runs`. */
export function whereTurnsInThreads(tenantId: string, turns: Turns, filters: ThreadFilters): Fragment {
  const where = whereTurns(tenantId, turns)
  if (!filters.thread_filter && !filters.trace_filter && !filters.tree_filter) return where
  return sql`${where} and thread_id in (select thread_id ${fromThreadSums(tenantId, turns, filters)})`
}

/** `from` and `where` of threads with the columns `SUMS`. */
function fromThreadSums(tenantId: string, turns: Turns, filters: ThreadFilters): Fragment {
  const where = whereTurns(tenantId, turns)
  const { projectId, from, until } = turns
  const hasTrace = (of: Partial<Turns>) =>
    sql`thread_id in (select thread_id from runs final where ${whereTurns(tenantId, { projectId, from, until, ...of })})`
  const wanted = readThreadFilter(filters.thread_filter, {
    withRoot: (alsoFilter) => hasTrace({ ...turns, alsoFilter }),
    withRecord: (where) => sql`thread_id in (
        select feedback_thread_id from run_feedback final
        where ${whereOnThreads(tenantId, projectId)} and comparative_experiment_id is null and ${where})`,
  })
  const usage = sql`left join (${sumUsageByThread(tenantId, where, ['total_tokens', 'total_cost'])}) as usage using (thread_id)`
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

function isAfter(cursor: string): Fragment {
  const { startTime, threadId } = parseThreadCursor(cursor)
  return sql`(last_start, thread_id) < (${time(startTime)}, ${text(threadId)})`
}

/** Median and 99th percentile in seconds; null while no root has ended. */
export function toLatencies(row: ThreadRow): [number | null, number | null] {
  return row.ended === 0 ? [null, null] : [row.latency[0] ?? null, row.latency[1] ?? null]
}

export const toTimeOrNull = (column: string | null) => (column === null ? null : printedTime(column))

/** Conditions on the columns of summed-up threads. */
interface ThreadCondition {
  readonly where: Fragment
  /** Whether the condition uses tokens or costs, which then have to be summed for every thread. */
  readonly needsUsage: boolean
}

/** How a thread relates to rows of other tables. */
interface ThreadRelations {
  /** The condition that a thread has a trace whose root satisfies a filter on runs. */
  readonly withRoot: (filter: string) => Fragment
  /** The condition that a record of feedback on the thread itself satisfies a condition on `run_feedback`. */
  readonly withRecord: (where: Fragment) => Fragment
}

/**
 * Reads a `thread_filter`. Clauses on feedback in one `and` apply to the same record, either on the thread itself or on
 * the root of one of its traces.
 *
 * @returns `undefined` for a blank text
 * @throws FilterError
 */
function readThreadFilter(text: string | null | undefined, relations: ThreadRelations): ThreadCondition | undefined {
  const filter = parseFilter(text ?? '', THREAD_FILTERS)
  if (filter === undefined) return undefined
  return { where: compile(filter, relations), needsUsage: usesField(filter, (field) => field.startsWith('total_')) }
}

function compile(filter: Filter, relations: ThreadRelations): Fragment {
  if (!isLogical(filter)) return compileAll([filter], relations)
  if (filter.op === 'and') return compileAll(filter.args, relations)
  const conditions = filter.args.map((one) => compile(one, relations))
  return filter.op === 'or' ? any(conditions) : not(all(conditions))
}

function compileAll(filters: readonly Filter[], relations: ThreadRelations): Fragment {
  const onFeedback = filters.filter(isOnFeedback)
  const others = filters.filter((one) => !isOnFeedback(one))
  return all([
    ...others.map((one) => (isLogical(one) ? compile(one, relations) : compileComparison(one))),
    ...(onFeedback.length > 0 ? [compileFeedback(onFeedback, relations)] : []),
  ])
}

const isOnFeedback = (one: Filter): one is Comparison => !isLogical(one) && one.field?.startsWith('feedback_') === true

/** Clauses that only exclude feedback exclude it on the thread as well as on a root. */
function compileFeedback(clauses: readonly Comparison[], { withRoot, withRecord }: ThreadRelations): Fragment {
  const onRoot = withRoot(printFilter({ op: 'and', args: clauses }))
  const isAbsence = (clause: Comparison) => isNegative(clause) || (isKeyClause(clause) && clause.value === null)
  if (!clauses.every(isAbsence)) return any([onRoot, withRecord(compareFeedbackRecord(clauses))])
  const excluded = clauses.map((clause) => {
    const isNone = clause.value === null
    return not(withRecord(isNone ? literal('true') : compareFeedbackRecord([toPositive(clause) ?? clause])))
  })
  return all([onRoot, ...excluded])
}

function compileComparison(comparison: Exclude<Filter, { readonly args: unknown }>): Fragment {
  const column = comparison.field === undefined ? undefined : COLUMNS[comparison.field]
  // The parser accepts only the fields of threads.
  if (comparison.field === undefined || column === undefined) throw new Error('Threads have no such field.')
  return compareScalar(column, comparison)
}

function usesField(filter: Filter, isMeant: (field: string) => boolean): boolean {
  if (isLogical(filter)) return filter.args.some((one) => usesField(one, isMeant))
  return filter.field !== undefined && isMeant(filter.field)
}

const seconds = (value: string): Scalar => ({
  value: literal(value),
  isAbsent: literal('ended = 0'),
  type: TYPES.number,
})

/** Field of the filter → column of the sums in `query-threads.ts`. */
const COLUMNS: Readonly<Record<string, Scalar>> = {
  thread_id: column('thread_id', 'text', 'never'),
  turn_count: { ...column('turns', 'number', 'never'), value: literal('toFloat64(turns)') },
  num_errored_turns: { ...column('errored', 'number', 'never'), value: literal('toFloat64(errored)') },
  thread_duration: seconds(`${microsBetween('first_start', 'last_end')} / 1e6`),
  trace_latency_p50: seconds('latency[1]'),
  trace_latency_p99: seconds('latency[2]'),
  total_tokens: { ...column('total_tokens', 'number', 'null'), value: literal('toFloat64(total_tokens)') },
  total_cost: column('total_cost', 'decimal', 'null'),
}

/** The last thread of a page. */
interface ThreadCursor {
  /** Start of the last trace of its last thread, in the contract's printed form. */
  readonly startTime: string
  readonly threadId: string
}

export function printThreadCursor({ startTime, threadId }: ThreadCursor): string {
  return encodeCursor([startTime, threadId])
}

/** @throws ApiError INVALID_REQUEST when the text is not a cursor of this server */
function parseThreadCursor(text: string): ThreadCursor {
  return decodeCursor(text, ([start, threadId]) => {
    const startTime = parseTime(start)
    return startTime !== undefined && typeof threadId === 'string' ? { startTime, threadId } : undefined
  })
}
