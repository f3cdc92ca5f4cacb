import type { Bucket, DashboardChart, RunSeries, SeriesFigures } from '@touchstone/contract'
import { formatCount, formatRate } from '#lib/format.ts'
import { type SortKey, sortRows } from '#lib/row-sort.ts'
import type { Bounds } from '#lib/time/time-range.ts'
import { getNextBucket, OTHER, toLineId } from './chart.ts'
import type { Metric } from './metrics.ts'

/** The change of a figure since the previous period. */
export interface Delta {
  /** Without a sign: `12 %`, `1.4 pp`, `no change`. */
  text: string
  direction: 'up' | 'down' | 'same'
  tone: 'bad' | 'good' | 'neutral'
  /** The earlier value in words. */
  title: string
}

/** Changes below this share are called none. */
const NO_CHANGE = 0.0005

/** Compares a figure with that of the previous period; undefined when one of them is unknown or there is nothing to divide by. */
export function computeDelta(metric: Metric, now: SeriesFigures, before: SeriesFigures): Delta | undefined {
  const [value, earlier] = [metric.headline.read(now), metric.headline.read(before)]
  if (value === null || earlier === null || (earlier === 0 && !metric.isRate)) return undefined
  const change = metric.isRate ? value - earlier : (value - earlier) / Math.abs(earlier)
  const title = `${metric.format(earlier)} in the previous period`
  if (Math.abs(change) < NO_CHANGE) return { text: 'no change', direction: 'same', tone: 'neutral', title }
  const isUp = change > 0
  const tone = metric.more === 'neutral' ? 'neutral' : isUp ? 'bad' : 'good'
  return { text: formatChange(Math.abs(change), metric.isRate === true), direction: isUp ? 'up' : 'down', tone, title }
}

/** `12 %`, `1.4 pp` (percentage points) for shares, `×25` for figures that grew more than tenfold. */
function formatChange(change: number, isRate: boolean): string {
  if (isRate) return `${(change * 100).toFixed(change < 0.001 ? 2 : 1).replace(/\.?0+$/, '')} pp`
  if (change >= 9.5) return `×${formatCount(Math.round(change + 1))}`
  return change >= 0.1 ? `${Math.round(change * 100)} %` : formatRate(change)
}

/** What the figure of a chart is: `traces`, `of traces failed`, `p95 latency`. */
export function getCaption(metric: Metric, scope: DashboardChart['scope']): string {
  return scope === 'traces' ? metric.caption.replace(/\bruns\b/, 'traces') : metric.caption
}

const PER: Record<Bucket, string> = {
  '1m': 'per minute',
  '5m': 'per 5 minutes',
  '15m': 'per 15 minutes',
  '30m': 'per 30 minutes',
  '1h': 'per hour',
  '3h': 'per 3 hours',
  '6h': 'per 6 hours',
  '12h': 'per 12 hours',
  '1d': 'per day',
  '1w': 'per week',
  '1M': 'per month',
}

export const formatPerBucket = (bucket: Bucket) => PER[bucket]

/** Buckets of which a range has only a part, by index; such a bucket shows less than happened in it. */
export function findPartialBuckets(
  times: readonly number[],
  bucket: Bucket,
  { from, to }: Bounds,
): ReadonlyMap<number, 'start' | 'end'> {
  const partial = new Map<number, 'start' | 'end'>()
  const [first, last] = [times[0], times.at(-1)]
  if (first !== undefined && from !== undefined && first < Date.parse(from)) partial.set(0, 'start')
  // The end of a range is inclusive, so a range that ends 1 ms before the next bucket has all of this one.
  if (last !== undefined && to !== undefined && Date.parse(to) + 1 < getNextBucket(last, bucket)) {
    partial.set(times.length - 1, 'end')
  }
  return partial
}

/** The figures of one group over the whole range. */
export interface GroupTotal {
  id: string
  label: string
  /** Undefined for the groups without their own line. */
  group: string | null | undefined
  value: number | null
  runCount: number
  /** Share of the value of all runs, or of the number of runs when values do not add up. */
  share: number | null
}

export type GroupSort = 'label' | 'value' | 'share' | 'runs'

/** The total of each group, the largest first unless sorted otherwise; unknown values come last. */
export function listGroupTotals(
  metric: Metric,
  series: RunSeries,
  sort: { by: GroupSort; isDescending: boolean } = { by: 'value', isDescending: true },
): GroupTotal[] {
  const whole = metric.isStacked ? metric.headline.read(series.total) : series.total.run_count
  const toTotal = (group: GroupTotal['group'], label: string, total: SeriesFigures): GroupTotal => {
    const value = metric.headline.read(total)
    const part = metric.isStacked ? value : total.run_count
    const shareOfWhole = whole === null || whole === 0 || part === null ? null : part / whole
    return {
      id: group === undefined ? OTHER : toLineId(group),
      label,
      group,
      value,
      runCount: total.run_count,
      share: shareOfWhole,
    }
  }
  const others = series.total_groups - series.series.length
  const totals = [
    ...series.series.map(({ group, total }) => toTotal(group, group ?? 'none', total)),
    ...(series.other ? [toTotal(undefined, `other (${others})`, series.other.total)] : []),
  ]
  return sortRows(totals, `${sort.isDescending ? '-' : ''}${sort.by}`, SORT_KEYS, ({ label }) => label)
}

const SORT_KEYS: Readonly<Record<GroupSort, SortKey<GroupTotal>>> = {
  label: ({ label }) => label.toLowerCase(),
  value: ({ value }) => value,
  share: ({ share }) => share,
  runs: ({ runCount }) => runCount,
}
