import type { Bucket, RunGrouping, RunSeries, SeriesPoint } from '@touchstone/contract'
import { parseFilter } from '@touchstone/contract/filter'
import { addClauses, toClause } from '#lib/filter/chips.ts'
import { SERIES_COLORS } from '#lib/series-colors.ts'
import type { Bounds } from '#lib/time/time-range.ts'
import type { Measure, Metric } from './metrics.ts'

/** One line or one layer of bars. */
export interface Line {
  id: string
  label: string
  /** Name of a color token. */
  color: string
  /** A value per bucket of the chart; null is a gap. */
  values: readonly (number | null)[]
  /** Number of runs behind each value. */
  samples: readonly number[]
  /** Set when the line is one group; `other-groups` is the sum of the groups beyond the limit. */
  group?: Group | 'other-groups'
  /** The previous period: dashed, without a link to runs. */
  isBefore?: boolean
  /** Lengths of dashes and gaps in px. Lines of groups cross, so they differ by more than their color. */
  dash?: readonly number[]
}

/** The buckets of a chart and the lines over them. */
export interface ChartData {
  /** Starts of the buckets in ms. */
  times: readonly number[]
  lines: readonly Line[]
  /** The points of each bucket by line, or of the one series without groups. */
  points: ReadonlyMap<string, readonly (SeriesPoint | undefined)[]>
  /** Number of groups in the last line. */
  otherGroups: number
}

export const OTHER = 'other-groups'

/** Dashes of the lines of groups, the largest group first; the previous period has its own. */
const DASHES: readonly (readonly number[])[] = [[], [9, 3], [2, 3], [9, 3, 2, 3], [5, 3], [14, 4], [5, 2, 1, 2], [1, 4]]
const DASH_BEFORE = [4, 4]

/** The id of the line of a group. */
export function toLineId(group: Group): string {
  return group === null ? 'none' : `=${group}`
}

/**
 * Converts a series to the lines of a chart.
 *
 * @param before  the series of the previous period and its distance in time; its headline measure is drawn dashed
 */
export function toChartData(
  metric: Metric,
  series: RunSeries,
  isGrouped: boolean,
  before?: { series: RunSeries; shiftMs: number },
): ChartData {
  const all = [...series.series.map(({ points }) => points), series.other?.points ?? []]
  const starts = all.flatMap((points) => points.map(({ time }) => Date.parse(time)))
  const shifted = (before?.series.series[0]?.points ?? []).map((point) => ({
    point,
    at: Date.parse(point.time) + (before?.shiftMs ?? 0),
  }))
  const times = listBuckets(starts.length > 0 ? starts : shifted.map(({ at }) => at), series.bucket)
  const points = new Map<string, readonly (SeriesPoint | undefined)[]>()
  const place = (id: string, from: readonly SeriesPoint[]) => {
    const byTime = new Map(from.map((point) => [Date.parse(point.time), point]))
    const placed = times.map((time) => byTime.get(time))
    points.set(id, placed)
    return placed
  }
  const lines: Line[] = []
  if (isGrouped) {
    for (const [at, { group, points: of }] of series.series.entries()) {
      const id = toLineId(group)
      const look = { ...metric.headline, color: SERIES_COLORS[at] ?? 'series-slate' }
      lines.push({ ...toLine(look, metric, place(id, of)), id, label: group ?? 'none', group, dash: DASHES[at] ?? [] })
    }
    if (series.other) {
      const look = { ...metric.headline, color: 'series-slate' }
      const label = `other (${series.total_groups - series.series.length})`
      const line = toLine(look, metric, place(OTHER, series.other.points))
      lines.push({ ...line, id: OTHER, label, group: OTHER, dash: DASHES.at(-1) ?? [] })
    }
  } else {
    const placed = place('all', series.series[0]?.points ?? [])
    for (const measure of metric.measures) lines.push(toLine(measure, metric, placed))
    if (before) lines.push(toPreviousLine(metric, times, shifted))
  }
  return { times, lines, points, otherGroups: Math.max(series.total_groups - series.series.length, 0) }
}

function toLine(measure: Measure, metric: Metric, placed: readonly (SeriesPoint | undefined)[]): Line {
  return {
    id: measure.id,
    label: measure.label,
    color: measure.color,
    dash: measure.dash ?? [],
    values: placed.map((point) => (point === undefined ? null : measure.read(point))),
    samples: placed.map((point) => (point === undefined ? 0 : metric.samples(point))),
  }
}

/** The headline measure of the previous period, in the nearest buckets of this period. */
function toPreviousLine(
  metric: Metric,
  times: readonly number[],
  shifted: readonly { point: SeriesPoint; at: number }[],
): Line {
  const [first, second] = times
  const step = first === undefined || second === undefined ? Number.POSITIVE_INFINITY : second - first
  const values = times.map((time) => {
    const nearest = shifted.find(({ at }) => Math.abs(at - time) <= step / 2)
    return nearest === undefined ? null : metric.headline.read(nearest.point)
  })
  return {
    id: 'before',
    label: `${metric.headline.label}, previous period`,
    color: 'fg-subtle',
    values,
    samples: values.map(() => Number.POSITIVE_INFINITY),
    isBefore: true,
    dash: DASH_BEFORE,
  }
}

/** The visible lines: only the soloed line, or all lines that are not hidden. */
export function selectVisibleLines(chart: ChartData, legend: LegendState): Line[] {
  return chart.lines.filter(({ id }) => (legend.solo === undefined ? !legend.hidden.has(id) : legend.solo === id))
}

export interface LegendState {
  solo: string | undefined
  hidden: ReadonlySet<string>
}

/** Describes a chart in one sentence for screen readers: the last value and the range of each line. */
export function summarizeChart(metric: Metric, chart: ChartData): string {
  const isGrouped = chart.lines.some(({ group }) => group !== undefined)
  const what = isGrouped && !metric.isStacked ? `${metric.description} (${metric.headline.label})` : metric.description
  const lines = chart.lines.filter(({ isBefore }) => !isBefore)
  const parts = lines.slice(0, 4).flatMap((line) => {
    const known = line.values.filter((value) => value !== null)
    if (known.length === 0) return []
    const [least, most] = [Math.min(...known), Math.max(...known)]
    const last = metric.format(known.at(-1) ?? null)
    const range = least === most ? '' : `, between ${metric.format(least)} and ${metric.format(most)}`
    return [`${line.label} last ${last}${range}`]
  })
  if (parts.length === 0) return `${what}: no data in this range.`
  const more = lines.length > 4 ? `; and ${lines.length - 4} more` : ''
  return `${what} over ${chart.times.length} buckets: ${parts.join('; ')}${more}.`
}

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

export const formatBucket = (bucket: Bucket) => NAMES[bucket]

/** Start of the next bucket in ms. Days, weeks and months are those of the browser's time zone. */
export function getNextBucket(startMs: number, bucket: Bucket): number {
  const date = new Date(startMs)
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()]
  if (bucket === '1d') return new Date(year, month, day + 1).getTime()
  if (bucket === '1w') return new Date(year, month, day + 7).getTime()
  if (bucket === '1M') return new Date(year, month + 1, 1).getTime()
  return startMs + LENGTH_MS[bucket]
}

/**
 * All buckets from the first to the last one with runs. The server omits empty buckets; without them a line would
 * connect the values on both sides of a gap.
 *
 * @param starts  of buckets with runs, in any order, in ms
 */
export function listBuckets(starts: readonly number[], bucket: Bucket): number[] {
  const known = [...new Set(starts)].sort((a, b) => a - b)
  const grid: number[] = []
  for (const [at, start] of known.entries()) {
    grid.push(start)
    const following = known[at + 1]
    if (following === undefined) break
    // A bucket is an hour longer or shorter when the clocks change, so only add buckets that fit almost completely.
    for (let next = getNextBucket(start, bucket); next + LENGTH_MS[bucket] * 0.9 <= following; ) {
      grid.push(next)
      next = getNextBucket(next, bucket)
    }
  }
  return grid
}

/**
 * The part of a window that a bucket covers, in the URL format of a list. Both ends are inclusive there, so the end is
 * 1 µs before the next bucket.
 */
export function toBucketRange(startMs: number, bucket: Bucket, window: Bounds): string {
  const start = new Date(startMs).toISOString()
  const end = `${new Date(getNextBucket(startMs, bucket) - 1).toISOString().slice(0, 23)}999Z`
  const from = window.from !== undefined && window.from > start ? window.from : start
  const to = window.to !== undefined && window.to < end ? window.to : end
  return `${from}..${to}`
}

/** The period of the same length before a window; undefined when the window has no start. */
export function getPreviousPeriod(
  { from, to }: Bounds,
  nowMs: number,
): { bounds: Bounds; shiftMs: number } | undefined {
  if (from === undefined) return undefined
  const start = Date.parse(from)
  const shiftMs = (to === undefined ? nowMs : Date.parse(to)) - start
  const before = `${new Date(start - 1).toISOString().slice(0, 23)}999Z`
  return shiftMs > 0 ? { bounds: { from: new Date(start - shiftMs).toISOString(), to: before }, shiftMs } : undefined
}

/** A group in the API; null is the group of runs without the attribute. */
type Group = string | null

/** The filter that matches the runs of a group. */
export function toGroupFilter({ attribute, path }: RunGrouping, group: Group): string {
  const value = JSON.stringify(group)
  if (attribute === 'tag') return group === null ? 'eq(tags, null)' : `has(tags, ${value})`
  if (attribute !== 'metadata') return `eq(${attribute}, ${value})`
  const key = JSON.stringify(path ?? '')
  if (group === null) return `neq(metadata_key, ${key})`
  // The group of a number and of the same text are one group, so both values are matched.
  const values = isJsonScalar(group) ? `in(metadata_value, [${value}, ${group}])` : `eq(metadata_value, ${value})`
  return `and(eq(metadata_key, ${key}), ${values})`
}

/** Adds conditions to a filter, each with its own clause; undefined conditions are skipped. */
export function addConditions(
  filter: string | undefined,
  ...conditions: readonly (string | undefined)[]
): string | undefined {
  const clauses = conditions.flatMap((text) => {
    const parsed = text === undefined ? undefined : parseFilter(text)
    return parsed === undefined ? [] : [toClause(parsed)]
  })
  return clauses.length === 0 ? filter : addClauses(filter, clauses)
}

function isJsonScalar(text: string): boolean {
  return text === 'true' || text === 'false' || /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)
}
