import {
  type AlertDefinition,
  MAX_ALERT_GROUPS,
  type RunConditions,
  statisticOf,
  timeOfEpochMs,
} from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { type Fragment, literal, sql, uint } from '../../storage/analytics/sql.ts'
import { columns, count, figure, nullable, text } from '../../storage/rows.ts'
import { type Measure, selectMeasured } from '../runs/stats/index.ts'

/** Ends of windows: multiples of a step, both inclusive. Seconds since 1970. */
export interface Ends {
  readonly from: number
  readonly to: number
  readonly step: number
  /** Length of a window. */
  readonly window: number
  /** How much earlier than its name each window ends. */
  readonly offset: number
}

/** A group in one window. */
export interface Measured {
  readonly group: string | null
  readonly value: number | null
  readonly count: number
  /** The earliest start of its runs; seconds since 1970. */
  readonly oldest: number
}

/** What is measured of the runs of a definition; filters were validated when it was stored. */
export function toMeasure(definition: AlertDefinition): Measure {
  const { project_ids, scope, filter, trace_filter, tree_filter, denominator_filter } = definition
  const isShare = definition.metric === 'runs' && statisticOf(definition) === 'share'
  const runs = {
    session: [...project_ids],
    is_root: scope === 'traces' ? true : null,
    filter: (isShare ? denominator_filter : filter) || null,
    trace_filter: trace_filter || null,
    tree_filter: tree_filter || null,
  } as RunConditions
  return {
    runs,
    metric: definition.metric,
    feedbackKey: definition.feedback_key,
    part: isShare ? { ...runs, filter: filter || null } : undefined,
    groupBy: definition.group_by,
  }
}

const ROW = columns({ at: count, key: text, n: count, value: nullable(figure), oldest: count })

/**
 * Measures windows: the one query of alerts that are evaluated and of those that are previewed. A window includes its begin
 * and excludes its end.
 *
 * @returns the groups of each window that has any, those with the most runs first
 */
export async function measureWindows(
  deps: Pick<Deps, 'analytics'>,
  tenantId: string,
  definition: AlertDefinition,
  ends: Ends,
): Promise<ReadonlyMap<number, readonly Measured[]>> {
  const statement = await selectWindows(deps, tenantId, definition, ends)
  const rows = await deps.analytics.query(statement, ROW)
  const found = new Map<number, Measured[]>()
  for (const { at, key, n, value, oldest } of rows) {
    const group = { group: key === '' ? null : key.slice(1), value, count: n, oldest }
    const groups = found.get(at)
    if (groups === undefined) found.set(at, [group])
    else groups.push(group)
  }
  return found
}

async function selectWindows(
  deps: Pick<Deps, 'analytics'>,
  tenantId: string,
  definition: AlertDefinition,
  { from, to, step, window, offset }: Ends,
): Promise<Fragment> {
  const measure = toMeasure(definition)
  const bounds = {
    start_time: timeOfEpochMs((from - offset - window) * 1000),
    end_time: timeOfEpochMs((to - offset) * 1000),
  }
  const measured = await selectMeasured(deps, tenantId, {
    ...measure,
    runs: { ...measure.runs, ...bounds },
    part: measure.part && { ...measure.part, ...bounds },
  })
  const { counted, value } = AGGREGATES[toAggregate(definition)]
  const grouped = definition.group_by
    ? sql`select began, measured, distinct_value, arrayJoin(groups) as of_group,
        if(of_group is null, '', concat('=', assumeNotNull(of_group))) as key from (${measured})`
    : sql`select began, measured, distinct_value, '' as key from (${measured})`
  // The first end after a run, and the last one whose window still has it.
  const first = sql`(intDiv(seconds + ${uint(offset)}, ${uint(step)}) + 1) * ${uint(step)}`
  const last = sql`intDiv(seconds + ${uint(offset + window)}, ${uint(step)}) * ${uint(step)}`
  return sql`
    select at, key, ${literal(counted)} as n, ${literal(value)} as value, min(seconds) as oldest
    from (
      select key, measured, distinct_value, seconds,
        arrayJoin(range(greatest(${first}, ${uint(from)}), least(${last}, ${uint(to)}) + 1, ${uint(step)})) as at
      from (select *, toUInt64(toUnixTimestamp(toDateTime(began))) as seconds from (${grouped}))
    )
    group by at, key
    having n > 0
    order by at, n desc, key
    limit ${uint(MAX_ALERT_GROUPS)} by at`
}

type Aggregate = keyof typeof AGGREGATES

/** Over the rows of `selectMeasured`: how many count, and the value. */
const AGGREGATES = {
  count: { counted: 'count()', value: 'toFloat64(count())' },
  failed: { counted: 'count()', value: 'sum(measured)' },
  share: { counted: 'count()', value: 'avg(measured)' },
  sum: { counted: 'count()', value: 'sum(measured)' },
  mean_use: { counted: 'count()', value: 'avg(measured)' },
  avg: { counted: 'count(measured)', value: 'avg(measured)' },
  p50: { counted: 'count(measured)', value: 'quantileExact(0.5)(measured)' },
  p95: { counted: 'count(measured)', value: 'quantileExact(0.95)(measured)' },
  p99: { counted: 'count(measured)', value: 'quantileExact(0.99)(measured)' },
  max: { counted: 'count(measured)', value: 'max(measured)' },
  distinct: { counted: 'count()', value: 'toFloat64(uniqExact(distinct_value))' },
} as const

function toAggregate(definition: AlertDefinition): Aggregate {
  const statistic = statisticOf(definition)
  switch (definition.metric) {
    case 'errors':
      return 'failed'
    case 'threads':
    case 'users':
      return 'distinct'
    case 'tokens':
    case 'cost':
      return statistic === 'avg' ? 'mean_use' : 'sum'
    default:
      return statistic
  }
}

/** Whether a window without runs has the value zero, rather than none. */
export function countsNothing(definition: AlertDefinition): boolean {
  const statistic = statisticOf(definition)
  return (statistic === 'count' || statistic === 'sum') && definition.metric !== 'feedback'
}
