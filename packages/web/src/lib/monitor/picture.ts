import type { RunSeries, SeriesPoint } from '@touchstone/contract'
import { gridOf } from './buckets.ts'
import type { Group } from './drill-down.ts'
import type { Measure, Metric } from './metrics.ts'

/** One line or one layer of bars. */
export interface Line {
  id: string
  label: string
  /** Name of a colour token. */
  colour: string
  /** A value per bucket of the picture; null is a gap. */
  values: readonly (number | null)[]
  /** How many runs stand behind each value. */
  samples: readonly number[]
  /** Present when the line is one group; `other` gathers those beyond the limit. */
  group?: Group | 'other-groups'
  /** The period before: dashed, and leads nowhere. */
  isBefore?: boolean
}

/** What a chart draws: buckets and lines over them. */
export interface Picture {
  /** Starts of buckets in ms. */
  times: readonly number[]
  lines: readonly Line[]
  /** The runs of each bucket by line of groups, or all of them. */
  points: ReadonlyMap<string, readonly (SeriesPoint | undefined)[]>
  /** Groups folded into the last line. */
  otherGroups: number
}

/** Colours of groups, in the order of their size; the rest is slate. */
const COLOURS = [
  'series-blue',
  'series-orange',
  'series-green',
  'series-pink',
  'series-teal',
  'series-gold',
  'series-violet',
] as const
export const OTHER = 'other-groups'

/**
 * @param before  the same figures of the period before, with the time between the two; its headline is drawn dashed
 */
export function pictureOf(
  metric: Metric,
  series: RunSeries,
  isGrouped: boolean,
  before?: { series: RunSeries; shiftMs: number },
): Picture {
  const all = [...series.series.map(({ points }) => points), series.other?.points ?? []]
  const starts = all.flatMap((points) => points.map(({ time }) => Date.parse(time)))
  const shifted = (before?.series.series[0]?.points ?? []).map((point) => ({
    point,
    at: Date.parse(point.time) + (before?.shiftMs ?? 0),
  }))
  const times = gridOf(starts.length > 0 ? starts : shifted.map(({ at }) => at), series.bucket)
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
      const id = group === null ? 'none' : `=${group}`
      const look = { ...metric.headline, colour: COLOURS[at] ?? 'series-slate' }
      lines.push({ ...lineOf(look, metric, place(id, of)), id, label: group ?? 'none', group })
    }
    if (series.other) {
      const look = { ...metric.headline, colour: 'series-slate' }
      const label = `other (${series.total_groups - series.series.length})`
      lines.push({ ...lineOf(look, metric, place(OTHER, series.other.points)), id: OTHER, label, group: OTHER })
    }
  } else {
    const placed = place('all', series.series[0]?.points ?? [])
    for (const measure of metric.measures) lines.push(lineOf(measure, metric, placed))
    if (before) lines.push(beforeOf(metric, times, shifted))
  }
  return { times, lines, points, otherGroups: Math.max(series.total_groups - series.series.length, 0) }
}

function lineOf(measure: Measure, metric: Metric, placed: readonly (SeriesPoint | undefined)[]): Line {
  return {
    id: measure.id,
    label: measure.label,
    colour: measure.colour,
    values: placed.map((point) => (point === undefined ? null : measure.read(point))),
    samples: placed.map((point) => (point === undefined ? 0 : metric.samples(point))),
  }
}

/** The headline of the period before, in the buckets that begin nearest to its own. */
function beforeOf(
  metric: Metric,
  times: readonly number[],
  shifted: readonly { point: SeriesPoint; at: number }[],
): Line {
  const step = times.length > 1 ? times[1]! - times[0]! : Number.POSITIVE_INFINITY
  const values = times.map((time) => {
    const nearest = shifted.find(({ at }) => Math.abs(at - time) <= step / 2)
    return nearest === undefined ? null : metric.headline.read(nearest.point)
  })
  return {
    id: 'before',
    label: `${metric.headline.label}, period before`,
    colour: 'fg-subtle',
    values,
    samples: values.map(() => Number.POSITIVE_INFINITY),
    isBefore: true,
  }
}

/** The lines that are shown: one alone when it is soloed, else all that are not hidden. */
export function shownLines(picture: Picture, legend: LegendState): Line[] {
  return picture.lines.filter(({ id }) => (legend.solo === undefined ? !legend.hidden.has(id) : legend.solo === id))
}

export interface LegendState {
  solo: string | undefined
  hidden: ReadonlySet<string>
}

/** A chart in one sentence, for who cannot see it: where it stands and between what it moved. */
export function summaryOf(metric: Metric, picture: Picture): string {
  const lines = picture.lines.filter(({ isBefore }) => !isBefore)
  const said = lines.slice(0, 4).flatMap((line) => {
    const known = line.values.filter((value) => value !== null)
    if (known.length === 0) return []
    const [least, most] = [Math.min(...known), Math.max(...known)]
    const last = metric.format(known.at(-1)!)
    const range = least === most ? '' : `, between ${metric.format(least)} and ${metric.format(most)}`
    return [`${line.label} last ${last}${range}`]
  })
  if (said.length === 0) return `${metric.says}: nothing in this time.`
  const more = lines.length > 4 ? `; and ${lines.length - 4} more` : ''
  return `${metric.says} over ${picture.times.length} buckets: ${said.join('; ')}${more}.`
}
