import type { Bucket } from '@touchstone/contract'
import type { Bounds } from '#lib/time/time-range.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const LENGTH_MS: Record<Bucket, number> = {
  '1m': MINUTE,
  '5m': 5 * MINUTE,
  '15m': 15 * MINUTE,
  '30m': 30 * MINUTE,
  '1h': HOUR,
  '3h': 3 * HOUR,
  '6h': 6 * HOUR,
  '12h': 12 * HOUR,
  '1d': DAY,
  '1w': 7 * DAY,
  '1M': 30 * DAY,
}

const NAMES: Record<Bucket, string> = {
  '1m': '1 minute',
  '5m': '5 minutes',
  '15m': '15 minutes',
  '30m': '30 minutes',
  '1h': '1 hour',
  '3h': '3 hours',
  '6h': '6 hours',
  '12h': '12 hours',
  '1d': '1 day',
  '1w': '1 week',
  '1M': '1 month',
}

export const nameOfBucket = (bucket: Bucket) => NAMES[bucket]

/** Where the bucket after this one begins, in ms; days, weeks and months are those of the browser's zone. */
export function nextBucket(startMs: number, bucket: Bucket): number {
  const date = new Date(startMs)
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()]
  if (bucket === '1d') return new Date(year, month, day + 1).getTime()
  if (bucket === '1w') return new Date(year, month, day + 7).getTime()
  if (bucket === '1M') return new Date(year, month + 1, 1).getTime()
  return startMs + LENGTH_MS[bucket]
}

/**
 * All buckets from the first to the last that has runs, those without any between them. The server leaves empty ones
 * out; without a place of their own a line would run straight through them.
 *
 * @param starts  of buckets with runs, any order, in ms
 */
export function gridOf(starts: readonly number[], bucket: Bucket): number[] {
  const known = [...new Set(starts)].sort((a, b) => a - b)
  const grid: number[] = []
  for (const [at, start] of known.entries()) {
    grid.push(start)
    const following = known[at + 1]
    if (following === undefined) break
    // A bucket is an hour longer or shorter when the clocks change: only a whole one that fits is missing.
    for (let next = nextBucket(start, bucket); next + LENGTH_MS[bucket] * 0.9 <= following; ) {
      grid.push(next)
      next = nextBucket(next, bucket)
    }
  }
  return grid
}

/**
 * The part of a window that a bucket covers, as the address of a list holds it. Both ends are inclusive there, to the
 * microsecond, so the end is the last one before the next bucket.
 */
export function rangeOfBucket(startMs: number, bucket: Bucket, window: Bounds): string {
  const start = new Date(startMs).toISOString()
  const end = `${new Date(nextBucket(startMs, bucket) - 1).toISOString().slice(0, 23)}999Z`
  const from = window.from !== undefined && window.from > start ? window.from : start
  const to = window.to !== undefined && window.to < end ? window.to : end
  return `${from}..${to}`
}

/** The same length of time before a window; undefined when the window has no beginning. */
export function periodBefore({ from, to }: Bounds, nowMs: number): { bounds: Bounds; shiftMs: number } | undefined {
  if (from === undefined) return undefined
  const start = Date.parse(from)
  const shiftMs = (to === undefined ? nowMs : Date.parse(to)) - start
  const before = `${new Date(start - 1).toISOString().slice(0, 23)}999Z`
  return shiftMs > 0 ? { bounds: { from: new Date(start - shiftMs).toISOString(), to: before }, shiftMs } : undefined
}
