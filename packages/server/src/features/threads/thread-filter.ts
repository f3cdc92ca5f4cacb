import { type Comparison, type Filter, isLogical, parseFilter, printFilter, THREAD_FILTERS } from '@touchstone/contract'
import { all, any, not } from '../../storage/analytics/conditions.ts'
import { type Fragment, literal } from '../../storage/analytics/sql.ts'
import { column, compareScalar, type Scalar, TYPES } from '../runs/filter/index.ts'

/** Conditions on the columns of summed-up threads. */
export interface ThreadCondition {
  readonly where: Fragment
  /** Whether it looks at tokens or costs, which then have to be summed for every thread. */
  readonly needsUsage: boolean
}

/**
 * Reads a `thread_filter`. Clauses on feedback that stand in one `and` speak of one record on the root of a trace.
 *
 * @param withRoot  the condition that a thread has a trace whose root satisfies a filter on runs
 * @returns `undefined` for a blank text
 * @throws FilterError
 */
export function readThreadFilter(
  text: string | null | undefined,
  withRoot: (filter: string) => Fragment,
): ThreadCondition | undefined {
  const filter = parseFilter(text ?? '', THREAD_FILTERS)
  if (filter === undefined) return undefined
  return { where: compile(filter, withRoot), needsUsage: asks(filter, (field) => field.startsWith('total_')) }
}

function compile(filter: Filter, withRoot: (filter: string) => Fragment): Fragment {
  if (!isLogical(filter)) return compileAll([filter], withRoot)
  if (filter.op === 'and') return compileAll(filter.args, withRoot)
  const conditions = filter.args.map((one) => compile(one, withRoot))
  return filter.op === 'or' ? any(conditions) : not(conditions[0]!)
}

function compileAll(filters: readonly Filter[], withRoot: (filter: string) => Fragment): Fragment {
  const isFeedback = (one: Filter) => !isLogical(one) && one.field?.startsWith('feedback_')
  const onFeedback = filters.filter(isFeedback)
  const others = filters.filter((one) => !isFeedback(one))
  return all([
    ...others.map((one) =>
      isLogical(one) ? compile(one, withRoot) : compareScalar(COLUMNS[one.field!]!, one as Comparison),
    ),
    ...(onFeedback.length > 0 ? [withRoot(printFilter({ op: 'and', args: onFeedback }))] : []),
  ])
}

function asks(filter: Filter, isMeant: (field: string) => boolean): boolean {
  if (isLogical(filter)) return filter.args.some((one) => asks(one, isMeant))
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
  thread_duration: seconds("dateDiff('microsecond', first_start, last_end) / 1e6"),
  trace_latency_p50: seconds('latency[1]'),
  trace_latency_p99: seconds('latency[2]'),
  total_tokens: { ...column('total_tokens', 'number', 'null'), value: literal('toFloat64(total_tokens)') },
  total_cost: column('total_cost', 'decimal', 'null'),
}
