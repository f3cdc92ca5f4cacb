import type { Bucket, RunConditions } from '@touchstone/contract'
import { parseTime } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { type Fragment, literal, printedTime, sql, text } from '../../../storage/analytics/sql.ts'
import { whereOf } from '../index.ts'

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

const MOST_BUCKETS = 60

type Windowed = RunConditions & { readonly bucket?: Bucket | null | undefined }

/** The bucket that was asked for, else the shortest that cuts the window into few enough. */
export async function chooseBucket(deps: Pick<Deps, 'analytics'>, tenantId: string, query: Windowed): Promise<Bucket> {
  if (query.bucket) return query.bucket
  const span = await spanOf(deps, tenantId, query)
  const fitting = Object.entries(INTERVALS).find(([, { ms }]) => span / ms <= MOST_BUCKETS)
  return (fitting?.[0] ?? '1M') as Bucket
}

/** Milliseconds of the window; where it is open, up to the first or last run of the query. */
async function spanOf({ analytics }: Pick<Deps, 'analytics'>, tenantId: string, query: RunConditions): Promise<number> {
  const { start_time: from, end_time: to } = query
  if (from && to) return Date.parse(to) - Date.parse(from)
  const [edges] = await analytics.query<{ n: string; first: string; last: string }>(sql`
    select count() as n, min(start_time) as first, max(start_time) as last
    from runs final
    where ${whereOf(tenantId, query)}`)
  if (edges === undefined || Number(edges.n) === 0) return 0
  return Date.parse(to ?? printedTime(edges.last)) - Date.parse(from ?? printedTime(edges.first))
}

/** SQL of the start of the bucket that a time lies in, as seconds since 1970. */
export function bucketStart(column: string, bucket: Bucket, timeZone: string): Fragment {
  const zone = text(timeZone)
  const interval = literal(INTERVALS[bucket].sql)
  return sql`toUnixTimestamp(toDateTime(toStartOfInterval(${literal(column)}, interval ${interval}, ${zone}), ${zone}))`
}

/** The contract's printed form of seconds since 1970. */
export function printSeconds(seconds: number | string): string {
  return parseTime(new Date(Number(seconds) * 1000).toISOString())!
}
