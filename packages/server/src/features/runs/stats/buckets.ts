import {
  ApiError,
  BUCKETS,
  type Bucket,
  MAX_SERIES_BUCKETS,
  type RunConditions,
  type RunHistogram,
  type RunHistogramQuery,
  timeOfEpochMs,
} from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { type Fragment, literal, printedTime, sql, text, time } from '../../../storage/analytics/sql.ts'
import { columns, count, each, number, text as string } from '../../../storage/rows.ts'
import { whereRuns } from '../index.ts'
import { fromRuns } from './matched-runs.ts'

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

/** Buckets of a window whose bucket is chosen. */
const MAX_CHOSEN = 60

type Windowed = RunConditions & { readonly bucket?: Bucket | null | undefined }

/**
 * The requested bucket, or the shortest one that splits the window into at most `MAX_CHOSEN`.
 *
 * @throws ApiError INVALID_REQUEST when the requested bucket splits the window into more than `MAX_SERIES_BUCKETS`
 */
export async function chooseBucket(deps: Pick<Deps, 'analytics'>, tenantId: string, query: Windowed): Promise<Bucket> {
  const window = await findWindow(deps, tenantId, query)
  const find = (maxBuckets: number) =>
    BUCKETS.find((bucket) => (window.toMs - window.fromMs) / INTERVALS[bucket].ms <= maxBuckets) ?? '1M'
  if (!query.bucket) return find(MAX_CHOSEN)
  const shortest = find(MAX_SERIES_BUCKETS)
  if (INTERVALS[query.bucket].ms >= INTERVALS[shortest].ms) return query.bucket
  throw new ApiError(
    'INVALID_REQUEST',
    `bucket "${query.bucket}" would cut the time from ${timeOfEpochMs(window.fromMs)} to ${timeOfEpochMs(window.toMs)} ` +
      `into more than ${MAX_SERIES_BUCKETS} buckets. Use "${shortest}" or a longer one, or a shorter range.`,
  )
}

interface TimeWindow {
  readonly fromMs: number
  readonly toMs: number
}

/** The time range of a query; an open end is the first or last run of the query. */
async function findWindow(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  query: RunConditions,
): Promise<TimeWindow> {
  const { start_time: from, end_time: to } = query
  if (from && to) return { fromMs: Date.parse(from), toMs: Date.parse(to) }
  const [edges] = await analytics.query(
    sql`
    select count() as n, min(start_time) as first, max(start_time) as last
    from runs final
    where ${whereRuns(tenantId, query)}`,
    columns({ n: count, first: string, last: string }),
  )
  if (edges === undefined || edges.n === 0) return { fromMs: 0, toMs: 0 }
  return { fromMs: Date.parse(from ?? printedTime(edges.first)), toMs: Date.parse(to ?? printedTime(edges.last)) }
}

/** SQL of the start of the bucket that contains a time, as seconds since 1970. */
export function selectBucketStart(column: string, bucket: Bucket, timeZone: string): Fragment {
  const zone = text(timeZone)
  const interval = literal(INTERVALS[bucket].sql)
  return sql`toUnixTimestamp(toDateTime(toStartOfInterval(${literal(column)}, interval ${interval}, ${zone}), ${zone}))`
}

/** The contract's printed form of seconds since 1970. */
export function printSeconds(seconds: number): string {
  return timeOfEpochMs(seconds * 1000)
}

const OUTCOMES = ['success', 'error', 'pending', 'interrupted'] as const

/** Runs over time by outcome; buckets without runs are omitted. */
export async function readHistogram(
  deps: Pick<Deps, 'analytics'>,
  tenantId: string,
  query: RunHistogramQuery,
): Promise<RunHistogram> {
  const [histogram, later_count] = await Promise.all([
    readBuckets(deps, tenantId, query),
    query.count_later && query.end_time ? countAfter(deps, tenantId, query, query.end_time) : 0,
  ])
  return { ...histogram, ...(query.count_later && { later_count }) }
}

async function readBuckets(
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

/** Counts the matching runs that start after an end, which itself belongs to the range before. */
async function countAfter(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  query: RunHistogramQuery,
  end: string,
): Promise<number> {
  const { start_time: from } = query
  const start = from && Date.parse(from) > Date.parse(end) ? from : end
  const later = { ...query, start_time: start, end_time: null }
  const [row] = await analytics.query(
    sql`select countIf(start_time > ${time(end)}) as n ${fromRuns(tenantId, later)}`,
    columns({ n: count }),
  )
  return row?.n ?? 0
}
