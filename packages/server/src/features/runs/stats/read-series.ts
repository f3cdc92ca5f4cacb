import type { Bucket, RunSeries, RunSeriesQuery, SeriesPoint } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { type Fragment, literal, sql, texts, uint, uuid } from '../../../storage/analytics/sql.ts'
import { bucketStart, chooseBucket, printSeconds } from './buckets.ts'
import { groupsOf } from './grouping.ts'
import { matchedRuns, USAGE } from './matched-runs.ts'
import { number, seconds } from './present-stats.ts'

type SeriesDeps = Pick<Deps, 'analytics'>

/** Figures per bucket, of all runs or of groups; groups beyond those asked for are told together. */
export async function readSeries(deps: SeriesDeps, tenantId: string, query: RunSeriesQuery): Promise<RunSeries> {
  const bucket = await chooseBucket(deps, tenantId, query)
  const rows = await selectPoints(deps, tenantId, query, bucket)
  const means = query.feedback_keys?.length ? await selectMeans(deps, tenantId, query, bucket, rows) : new Map()
  const bySlot = bySlotOf(rows)
  const line = (slot: readonly PointRow[]) => ({
    run_count: slot.reduce((sum, row) => sum + Number(row.run_count), 0),
    points: slot.map((row) => presentPoint(row, means.get(`${row.slot}/${row.at}`) ?? {})),
  })
  const shown = [...bySlot].filter(([slot]) => slot > 0).sort(([one], [other]) => one - other)
  const rest = bySlot.get(0)
  return {
    bucket,
    time_zone: query.time_zone,
    total_groups: Number(rows[0]?.total_groups ?? 0),
    series: shown.map(([, slot]) => ({ group: groupOf(slot[0]!.key), ...line(slot) })),
    other: rest === undefined ? null : line(rest),
  }
}

function bySlotOf(rows: readonly PointRow[]): Map<number, PointRow[]> {
  const slots = new Map<number, PointRow[]>()
  for (const row of rows) slots.set(Number(row.slot), [...(slots.get(Number(row.slot)) ?? []), row])
  return slots
}

type PointRow = {
  /** Rank of the group from 1; 0 gathers the groups that are not shown. */
  readonly slot: string
  /** `=` and the name of the group; '' for the runs that lack the attribute. */
  readonly key: string
  readonly total_groups: string
  /** Seconds since 1970. */
  readonly at: string
  readonly run_count: string
  readonly error_count: string
  readonly ended: string
  readonly streamed: string
  readonly latency: readonly (number | string)[]
  readonly first_token_latency: readonly (number | string)[]
} & { readonly [Column in (typeof USAGE)[number] as `sum_${Column}`]: string | null }

/** The engine groups once, ranks the groups by their runs, and merges what is not shown: no group is cut in silence. */
function selectPoints(deps: SeriesDeps, tenantId: string, query: RunSeriesQuery, bucket: Bucket): Promise<PointRow[]> {
  const offset = query.group_by?.offset ?? 0
  const last = offset + (query.group_by?.max_groups ?? 1)
  const partial = USAGE.map((column) => `sumState(used_${column}) as part_${column}`).join(', ')
  const sums = USAGE.map((column) => `sumMerge(part_${column}) as sum_${column}`).join(', ')
  return deps.analytics.query<PointRow>(sql`
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
              quantilesExactIfState(0.5, 0.95, 0.99)(${literal(micros('ended'))}, ended is not null) as part_latency,
              quantilesExactIfState(0.5, 0.99)(${literal(micros('first_token'))}, first_token is not null)
                as part_first_token,
              ${literal(partial)}
            from (${groupedRuns(tenantId, query, bucket)})
            group by key, at
          )
        )
      )
    )
    group by slot, at
    order by slot, at`)
}

const micros = (end: string) => `assumeNotNull(dateDiff('microsecond', began, ${end}))`

/** A row per run and group of it, with the key of the group and the bucket. */
function groupedRuns(tenantId: string, query: RunSeriesQuery, bucket: Bucket): Fragment {
  const at = bucketStart('began', bucket, query.time_zone)
  if (!query.group_by) return sql`select *, '' as key, ${at} as at from (${matchedRuns(tenantId, query)})`
  const matched = matchedRuns(tenantId, query, { groups: groupsOf(query.group_by) })
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
  const slots = new Map(points.filter(({ slot }) => Number(slot) > 0).map(({ key, slot }) => [key, slot]))
  const shown = texts([...slots.keys()])
  const rows = await analytics.query<{
    shown_key: string
    at: string
    feedback_key: string
    n: string
    mean: number | null
  }>(
    sql`
    select if(has(${shown}, key), key, 'rest') as shown_key, at, feedback_key, count(score) as n,
      if(count(score) = 0, null, avg(score)) as mean
    from (${groupedRuns(tenantId, query, bucket)}) as grouped
    inner join (
      select run_id, run_feedback.key as feedback_key, score
      from run_feedback final
      where tenant_id = ${uuid(tenantId)} and run_feedback.key in ${texts(query.feedback_keys ?? [])}
    ) as given using (run_id)
    group by shown_key, at, feedback_key`,
  )
  const means = new Map<string, Means>()
  for (const row of rows) {
    const spot = `${slots.get(row.shown_key) ?? '0'}/${row.at}`
    means.set(spot, { ...means.get(spot), [row.feedback_key]: { n: Number(row.n), avg: row.mean } })
  }
  return means
}

const groupOf = (key: string) => (key === '' ? null : key.slice(1))

function presentPoint(row: PointRow, feedback: Means): SeriesPoint {
  const [p50, p95, p99] = Number(row.ended) === 0 ? [] : row.latency
  const [first50, first99] = Number(row.streamed) === 0 ? [] : row.first_token_latency
  return {
    time: printSeconds(row.at),
    run_count: Number(row.run_count),
    error_count: Number(row.error_count),
    latency_p50: seconds(p50),
    latency_p95: seconds(p95),
    latency_p99: seconds(p99),
    first_token_p50: seconds(first50),
    first_token_p99: seconds(first99),
    prompt_tokens: Number(row.sum_prompt_tokens ?? 0),
    completion_tokens: Number(row.sum_completion_tokens ?? 0),
    total_tokens: Number(row.sum_total_tokens ?? 0),
    prompt_cost: number(row.sum_prompt_cost),
    completion_cost: number(row.sum_completion_cost),
    total_cost: number(row.sum_total_cost),
    feedback,
  }
}
