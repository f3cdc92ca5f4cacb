import {
  type Bucket,
  type RunConditions,
  type RunHistogram,
  type RunHistogramQuery,
  type RunSeries,
  type RunSeriesQuery,
  type SeriesPoint,
  timeOfEpochMs,
} from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { type Fragment, literal, printedTime, sql, text, texts, uint, uuid } from '../../../storage/analytics/sql.ts'
import {
  columns,
  count,
  each,
  figure,
  list,
  nullable,
  number,
  type RowOf,
  text as string,
} from '../../../storage/rows.ts'
import { whereRuns } from '../index.ts'
import { toSeconds } from './figures.ts'
import { fromRuns, selectMatchedRuns, toGroups, USAGE } from './matched-runs.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const INTERVALS: Readonly<Record<Bucket, { readonly ms: number; readonly sql: string }>> = {
  '1m': { ms: MINUTE, sql: '1 minute' },
  '5m': { ms: 5 * MINUTE, sql: '5 minute' },
  '15m': { ms: 15 * MINUTE, sql: '15 minute' },
  '30m': { ms: 30 * MINUTE, sql: '30 minute' },
  '1h': { ms: HOUR, sql: '1 hour' },
  '3h': { ms: 3 * HOUR, sql: '3 hour' },
  '6h': { ms: 6 * HOUR, sql: '6 hour' },
  '12h': { ms: 12 * HOUR, sql: '12 hour' },
  '1d': { ms: DAY, sql: '1 day' },
  '1w': { ms: 7 * DAY, sql: '1 week' },
  '1M': { ms: 30 * DAY, sql: '1 month' },
}

const MAX_BUCKETS = 60

type Windowed = RunConditions & { readonly bucket?: Bucket | null | undefined }

/** The requested bucket, or the shortest one that splits the window into at most `MAX_BUCKETS`. */
async function chooseBucket(deps: Pick<Deps, 'analytics'>, tenantId: string, query: Windowed): Promise<Bucket> {
  if (query.bucket) return query.bucket
  const span = await getSpanMs(deps, tenantId, query)
  const fitting = Object.entries(INTERVALS).find(([, { ms }]) => span / ms <= MAX_BUCKETS)
  return (fitting?.[0] ?? '1M') as Bucket
}

/** Milliseconds of the window; an open end is the first or last run of the query. */
async function getSpanMs(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  query: RunConditions,
): Promise<number> {
  const { start_time: from, end_time: to } = query
  if (from && to) return Date.parse(to) - Date.parse(from)
  const [edges] = await analytics.query(
    sql`
    select count() as n, min(start_time) as first, max(start_time) as last
    from runs final
    where ${whereRuns(tenantId, query)}`,
    columns({ n: count, first: string, last: string }),
  )
  if (edges === undefined || edges.n === 0) return 0
  return Date.parse(to ?? printedTime(edges.last)) - Date.parse(from ?? printedTime(edges.first))
}

/** SQL of the start of the bucket that contains a time, as seconds since 1970. */
function selectBucketStart(column: string, bucket: Bucket, timeZone: string): Fragment {
  const zone = text(timeZone)
  const interval = literal(INTERVALS[bucket].sql)
  return sql`toUnixTimestamp(toDateTime(toStartOfInterval(${literal(column)}, interval ${interval}, ${zone}), ${zone}))`
}

/** The contract's printed form of seconds since 1970. */
function printSeconds(seconds: number): string {
  return timeOfEpochMs(seconds * 1000)
}

type SeriesDeps = Pick<Deps, 'analytics'>

/** Figures per bucket for all runs or per group; groups beyond the requested ones are combined into `other`. */
export async function readSeries(deps: SeriesDeps, tenantId: string, query: RunSeriesQuery): Promise<RunSeries> {
  const bucket = await chooseBucket(deps, tenantId, query)
  const rows = await selectPoints(deps, tenantId, query, bucket)
  const means = query.feedback_keys?.length ? await selectMeans(deps, tenantId, query, bucket, rows) : new Map()
  const bySlot = groupBySlot(rows)
  const toLine = (slot: readonly PointRow[]) => ({
    run_count: slot.reduce((sum, row) => sum + row.run_count, 0),
    points: slot.map((row) => presentPoint(row, means.get(`${row.slot}/${row.at}`) ?? {})),
  })
  const shown = [...bySlot].filter(([slot]) => slot > 0).sort(([one], [other]) => one - other)
  const rest = bySlot.get(0)
  return {
    bucket,
    time_zone: query.time_zone,
    total_groups: rows[0]?.total_groups ?? 0,
    series: shown.map(([, slot]) => ({ group: toGroupName(slot[0]?.key ?? ''), ...toLine(slot) })),
    other: rest === undefined ? null : toLine(rest),
  }
}

function groupBySlot(rows: readonly PointRow[]): Map<number, PointRow[]> {
  const slots = new Map<number, PointRow[]>()
  for (const row of rows) slots.set(row.slot, [...(slots.get(row.slot) ?? []), row])
  return slots
}

const POINT_ROW = columns({
  /** Rank of the group from 1; 0 combines the groups that are not shown. */
  slot: count,
  /** `=` and the name of the group; '' for runs without the attribute. */
  key: string,
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

/** The engine groups once, ranks the groups by their number of runs, and merges the groups that are not shown. */
function selectPoints(deps: SeriesDeps, tenantId: string, query: RunSeriesQuery, bucket: Bucket): Promise<PointRow[]> {
  const offset = query.group_by?.offset ?? 0
  const last = offset + (query.group_by?.max_groups ?? 1)
  const partial = USAGE.map((column) => `sumState(used_${column}) as part_${column}`).join(', ')
  const sums = USAGE.map((column) => `sumMerge(part_${column}) as sum_${column}`).join(', ')
  return deps.analytics.query(
    sql`
    select slot, any(key) as key, max(groups_there_are) as total_groups, at,
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
            from (${selectGroupedRuns(tenantId, query, bucket)})
            group by key, at
          )
        )
      )
    )
    group by slot, at
    order by slot, at`,
    POINT_ROW,
  )
}

const diffMicros = (end: string) => `assumeNotNull(dateDiff('microsecond', began, ${end}))`

/** One row per run and group, with the key of the group and the bucket. */
function selectGroupedRuns(tenantId: string, query: RunSeriesQuery, bucket: Bucket): Fragment {
  const at = selectBucketStart('began', bucket, query.time_zone)
  if (!query.group_by) return sql`select *, '' as key, ${at} as at from (${selectMatchedRuns(tenantId, query)})`
  const matched = selectMatchedRuns(tenantId, query, { groups: toGroups(query.group_by) })
  return sql`
    select *, if(of_group is null, '', concat('=', of_group)) as key, ${at} as at
    from (select *, arrayJoin(groups) as of_group from (${matched}))`
}

type Means = Record<string, { n: number; avg: number | null }>

/** Means of feedback by slot and bucket, keyed `slot/at`. */
async function selectMeans(
  { analytics }: SeriesDeps,
  tenantId: string,
  query: RunSeriesQuery,
  bucket: Bucket,
  points: readonly PointRow[],
): Promise<Map<string, Means>> {
  const slots = new Map(points.filter(({ slot }) => slot > 0).map(({ key, slot }) => [key, slot]))
  const shown = texts([...slots.keys()])
  const rows = await analytics.query(
    sql`
    select if(has(${shown}, key), key, 'rest') as shown_key, at, feedback_key, count(score) as n,
      if(count(score) = 0, null, avg(score)) as mean
    from (${selectGroupedRuns(tenantId, query, bucket)}) as grouped
    inner join (
      select run_id, run_feedback.key as feedback_key, score
      from run_feedback final
      where tenant_id = ${uuid(tenantId)} and run_feedback.key in ${texts(query.feedback_keys ?? [])}
    ) as given using (run_id)
    group by shown_key, at, feedback_key`,
    columns({ shown_key: string, at: number, feedback_key: string, n: count, mean: nullable(number) }),
  )
  const means = new Map<string, Means>()
  for (const row of rows) {
    const key = `${slots.get(row.shown_key) ?? 0}/${row.at}`
    means.set(key, { ...means.get(key), [row.feedback_key]: { n: row.n, avg: row.mean } })
  }
  return means
}

const toGroupName = (key: string) => (key === '' ? null : key.slice(1))

function presentPoint(row: PointRow, feedback: Means): SeriesPoint {
  const [p50, p95, p99] = row.ended === 0 ? [] : row.latency
  const [first50, first99] = row.streamed === 0 ? [] : row.first_token_latency
  return {
    time: printSeconds(row.at),
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
    feedback,
  }
}

const OUTCOMES = ['success', 'error', 'pending', 'interrupted'] as const

/** Runs over time by outcome; buckets without runs are omitted. */
export async function readHistogram(
  deps: Pick<Deps, 'analytics'>,
  tenantId: string,
  query: RunHistogramQuery,
): Promise<RunHistogram> {
  const bucket = await chooseBucket(deps, tenantId, query)
  const rows = await deps.analytics.query(
    sql`
    select ${selectBucketStart('began', bucket, query.time_zone)} as at,
      countIf(outcome = 'success') as success,
      countIf(outcome = 'error') as error,
      countIf(outcome = 'pending') as pending,
      countIf(outcome = 'interrupted') as interrupted
    from (select start_time as began, status as outcome ${fromRuns(tenantId, query)})
    group by at
    order by at`,
    columns({ at: number, ...each(OUTCOMES, count) }),
  )
  return {
    bucket,
    time_zone: query.time_zone,
    buckets: rows.map((row) => ({
      time: printSeconds(row.at),
      success: row.success,
      error: row.error,
      pending: row.pending,
      interrupted: row.interrupted,
    })),
  }
}
