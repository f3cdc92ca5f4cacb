import type { Bucket, RunSeries, RunSeriesQuery, SeriesFigures, SeriesPoint } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { microsBetween } from '../../../storage/analytics/durations.ts'
import { literal, sql, uint } from '../../../storage/analytics/sql.ts'
import { columns, count, each, figure, list, nullable, number, type RowOf, text } from '../../../storage/rows.ts'
import { chooseBucket, printSeconds } from './buckets.ts'
import { toSeconds } from './figures.ts'
import { planUsage } from './matched-runs.ts'
import { USAGE } from './own-usage.ts'
import {
  type Distinct,
  type Means,
  SUMMED,
  selectDistinct,
  selectGroupedRuns,
  selectMeans,
  toCell,
  toDistinct,
} from './series-cells.ts'
import type { UsagePlan } from './usage-below.ts'

type SeriesDeps = Pick<Deps, 'analytics'>

/** Figures per bucket for all runs or per group; groups beyond the requested ones are combined into `other`. */
export async function readSeries(deps: SeriesDeps, tenantId: string, query: RunSeriesQuery): Promise<RunSeries> {
  const [bucket, usage] = await Promise.all([chooseBucket(deps, tenantId, query), planUsage(deps, tenantId, query)])
  const [lines, ungrouped] = await Promise.all([
    readLines(deps, tenantId, query, { bucket, usage }),
    mayBeInSeveralGroups(query)
      ? readLines(deps, tenantId, { ...query, group_by: null }, { bucket, usage })
      : undefined,
  ])
  const shown = lines.bySlot.filter(({ slot }) => slot > 0)
  const rest = lines.bySlot.find(({ slot }) => slot === 0)
  return {
    bucket,
    time_zone: query.time_zone,
    total_groups: lines.groupCount,
    total: (ungrouped ?? lines).total,
    series: shown.map(({ key, slot: _, ...line }) => ({ group: toGroupName(key), ...line })),
    other: rest === undefined ? null : { run_count: rest.run_count, total: rest.total, points: rest.points },
  }
}

/** Sums over the groups count a run once for each of its tags or values of metadata. */
function mayBeInSeveralGroups({ group_by: grouping }: RunSeriesQuery): boolean {
  return grouping?.attribute === 'tag' || grouping?.attribute === 'metadata'
}

/** What is found out before a series is read. */
interface SeriesPlan {
  readonly bucket: Bucket
  readonly usage: UsagePlan
}

interface Line {
  /** Rank of the group from 1; 0 combines the groups that are not shown. */
  slot: number
  key: string
  run_count: number
  total: SeriesFigures
  points: SeriesPoint[]
}

/** The figures of every group in every bucket, of every group, and of all runs. */
async function readLines(
  deps: SeriesDeps,
  tenantId: string,
  query: RunSeriesQuery,
  { bucket, usage }: SeriesPlan,
): Promise<{ groupCount: number; total: SeriesFigures; bySlot: readonly Line[] }> {
  const rows = await selectPoints(deps, tenantId, query, { bucket, usage })
  const slots = new Map(rows.filter(({ is_all, slot }) => !is_all && slot > 0).map(({ key, slot }) => [key, slot]))
  const [means, distinct] = await Promise.all([
    query.feedback_keys?.length ? selectMeans(deps, tenantId, query, bucket, slots) : undefined,
    query.distinct?.length ? selectDistinct(deps, tenantId, query, bucket, slots) : undefined,
  ])
  const noRuns = toDistinct(query, { threads: 0, users: 0 })
  const present = (row: PointRow) => presentFigures(row, means?.get(toCell(row)), distinct?.get(toCell(row)) ?? noRuns)
  const bySlot = new Map<number, PointRow[]>()
  for (const row of rows.filter(({ is_all, is_line }) => !is_all && !is_line)) {
    const points = bySlot.get(row.slot)
    if (points === undefined) bySlot.set(row.slot, [row])
    else points.push(row)
  }
  const lines = rows
    .filter(({ is_line, is_all }) => is_line && !is_all)
    .map((row) => ({
      slot: row.slot,
      key: row.key,
      run_count: row.run_count,
      total: present(row),
      points: (bySlot.get(row.slot) ?? []).map((point) => ({ time: printSeconds(point.at), ...present(point) })),
    }))
  const all = rows.find(({ is_all }) => is_all)
  return {
    groupCount: all?.total_groups ?? 0,
    total: all === undefined ? { ...NO_FIGURES, ...presentDistinct(noRuns) } : present(all),
    bySlot: lines.sort((one, other) => one.slot - other.slot),
  }
}

const POINT_ROW = columns({
  ...SUMMED,
  slot: count,
  /** `=` and the name of the group; '' for runs without the attribute. */
  key: text,
  total_groups: count,
  /** Seconds since 1970. */
  at: number,
  run_count: count,
  error_count: count,
  ended: count,
  streamed: count,
  latency: list(figure),
  first_token_latency: list(figure),
  ...each(
    USAGE.map((column) => `sum_${column}` as const),
    nullable(figure),
  ),
})

type PointRow = RowOf<typeof POINT_ROW>

/**
 * The engine groups once, ranks the groups by their number of runs, and merges the groups that are not shown, the buckets
 * of a group, and all groups.
 */
function selectPoints(
  deps: SeriesDeps,
  tenantId: string,
  query: RunSeriesQuery,
  { bucket, usage }: SeriesPlan,
): Promise<PointRow[]> {
  const offset = query.group_by?.offset ?? 0
  const last = offset + (query.group_by?.max_groups ?? 1)
  const partial = USAGE.map((column) => `sumState(used_${column}) as part_${column}`).join(', ')
  const sums = USAGE.map((column) => `sumMerge(part_${column}) as sum_${column}`).join(', ')
  return deps.analytics.query(
    sql`
    select grouping(at) as is_line, grouping(slot) as is_all,
      slot, any(key) as key, max(groups_there_are) as total_groups, at,
      sum(n) as run_count, sum(errors) as error_count, sum(ends) as ended, sum(streams) as streamed,
      quantilesExactIfMerge(0.5, 0.95, 0.99)(part_latency) as latency,
      quantilesExactIfMerge(0.5, 0.99)(part_first_token) as first_token_latency,
      ${literal(sums)}
    from (
      select *, if(place > ${uint(offset)} and place <= ${uint(last)}, place, 0) as slot,
        max(place) over () as groups_there_are
      from (
        select *, dense_rank() over (order by runs_of_group desc, key) as place
        from (
          select *, sum(n) over (partition by key) as runs_of_group
          from (
            select key, at, count() as n, countIf(outcome = 'error') as errors,
              count(ended) as ends, count(first_token) as streams,
              quantilesExactIfState(0.5, 0.95, 0.99)(${literal(diffMicros('ended'))}, ended is not null) as part_latency,
              quantilesExactIfState(0.5, 0.99)(${literal(diffMicros('first_token'))}, first_token is not null)
                as part_first_token,
              ${literal(partial)}
            from (${selectGroupedRuns(tenantId, query, bucket, usage)})
            group by key, at
          )
        )
      )
    )
    group by slot, at with rollup
    order by slot, at`,
    POINT_ROW,
  )
}

const diffMicros = (end: string) => `assumeNotNull(${microsBetween('began', end)})`

const toGroupName = (key: string) => (key === '' ? null : key.slice(1))

function presentFigures(row: PointRow, feedback: Means | undefined, distinct: Distinct): SeriesFigures {
  const [p50, p95, p99] = row.ended === 0 ? [] : row.latency
  const [first50, first99] = row.streamed === 0 ? [] : row.first_token_latency
  return {
    run_count: row.run_count,
    error_count: row.error_count,
    latency_p50: toSeconds(p50),
    latency_p95: toSeconds(p95),
    latency_p99: toSeconds(p99),
    first_token_p50: toSeconds(first50),
    first_token_p99: toSeconds(first99),
    prompt_tokens: row.sum_prompt_tokens ?? 0,
    completion_tokens: row.sum_completion_tokens ?? 0,
    total_tokens: row.sum_total_tokens ?? 0,
    prompt_cost: row.sum_prompt_cost,
    completion_cost: row.sum_completion_cost,
    total_cost: row.sum_total_cost,
    reported_cost: row.sum_reported_cost,
    unpriced_fees: row.sum_unpriced_fees,
    feedback: feedback ?? {},
    ...presentDistinct(distinct),
  }
}

const presentDistinct = ({ threads, users }: Distinct) => ({ thread_count: threads, user_count: users })

/** The figures of no runs, without the distinct values. */
const NO_FIGURES: Omit<SeriesFigures, 'thread_count' | 'user_count'> = {
  run_count: 0,
  error_count: 0,
  latency_p50: null,
  latency_p95: null,
  latency_p99: null,
  first_token_p50: null,
  first_token_p99: null,
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  prompt_cost: null,
  completion_cost: null,
  total_cost: null,
  reported_cost: null,
  unpriced_fees: null,
  feedback: {},
}
