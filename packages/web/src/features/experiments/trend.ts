import { formatCost, formatDay, formatLatency, formatRate, formatScore, formatTokens } from '#lib/format.ts'
import { feedbackColumn } from '#lib/run-columns.ts'
import {
  findColumnChoice,
  getFeedbackKey,
  getMetadataPath,
  listFeedbackKeys,
  metadataKeyColumn,
} from './experiment-columns.ts'
import { compareValues, getSortValue } from './experiment-list.ts'
import { type ExperimentRow, printMetadata, readMetadataAt } from './experiment-row.ts'

/** An experiment in a chart. Positions are shares of the plot from 0 to 1; `y` grows upward. */
export interface TrendPoint {
  readonly id: string
  readonly name: string
  readonly x: number
  readonly y: number
  /** Ends of the 95 % interval; undefined when it is not known. */
  readonly interval: readonly [number, number] | undefined
  /** The point in words: "support-v4, 0.84, 95 % interval 0.82 to 0.86, model-a". */
  readonly description: string
  /** Value and interval as text. */
  readonly value: string
  readonly xLabel: string
  readonly isBaseline: boolean
}

/** One metric of experiments over their start or a metadata key. */
export interface Trend {
  /** Column of the metric. */
  readonly id: string
  readonly label: string
  /** In the order of the axis. */
  readonly points: readonly TrendPoint[]
  readonly yTicks: readonly { readonly y: number; readonly label: string }[]
  readonly xTicks: readonly { readonly x: number; readonly label: string }[]
  /** Height of the baseline's value. */
  readonly baselineY: number | undefined
  /** Number of experiments without a value. */
  readonly missingCount: number
}

/** Metrics besides scores, with their formats. */
const FIGURES: Readonly<Record<string, (value: number) => string>> = {
  latency: formatLatency,
  tokens: formatTokens,
  cost: (value) => formatCost(String(value)),
  errors: formatRate,
}
const MAX_DEFAULT = 4

/** The metrics that a chart can show: feedback keys, those with the most scores first, then figures. */
export function listTrendMetrics(rows: readonly ExperimentRow[]): readonly string[] {
  return [...listFeedbackKeys(rows).map(feedbackColumn), ...Object.keys(FIGURES)]
}

/** The metrics that the URL names, otherwise the first keys with latency and cost. */
export function chooseTrendMetrics(rows: readonly ExperimentRow[], wanted: string | undefined): readonly string[] {
  const isKnown = (id: string) => Object.hasOwn(FIGURES, id) || getFeedbackKey(id) !== undefined
  const named = wanted?.split(',').filter(isKnown) ?? []
  if (named.length > 0) return named
  const hasCost = rows.some(({ figures }) => figures.cost !== undefined)
  return [...listFeedbackKeys(rows).slice(0, MAX_DEFAULT).map(feedbackColumn), 'latency', ...(hasCost ? ['cost'] : [])]
}

export function getTrendLabel(id: string): string {
  return id === 'latency' ? 'Latency p50' : (findColumnChoice(id)?.label ?? id)
}

export interface TrendOptions {
  /** `time`, or a metadata key. */
  readonly x: string
  readonly baselineId: string | undefined
}

export function buildTrend(rows: readonly ExperimentRow[], id: string, { x, baselineId }: TrendOptions): Trend {
  const known = rows.flatMap((row) => {
    const value = getSortValue(row, id)
    return typeof value === 'number' ? [{ row, value, margin: getMargin(row, id) }] : []
  })
  const placed = placeOnAxis(known, x)
  const scale = createScale(
    known.flatMap(({ value, margin }) => [value - margin, value + margin]),
    getFeedbackKey(id) === undefined,
  )
  const format = FIGURES[id] ?? ((value: number) => formatScore(value))
  const toPoint = ({ row, value, margin, at, label }: (typeof placed.items)[number]): TrendPoint => {
    const range = margin > 0 ? `, 95 % interval ${format(value - margin)} to ${format(value + margin)}` : ''
    return {
      id: row.id,
      name: row.name,
      x: at,
      y: scale.toShare(value),
      interval: margin > 0 ? [scale.toShare(value - margin), scale.toShare(value + margin)] : undefined,
      description: `${row.name}, ${format(value)}${range}, ${label}`,
      value: margin > 0 ? `${format(value)} ± ${format(margin)}` : format(value),
      xLabel: label,
      isBaseline: row.id === baselineId,
    }
  }
  const points = placed.items.map(toPoint)
  return {
    id,
    label: getTrendLabel(id),
    points,
    yTicks: scale.ticks.map((value) => ({ y: scale.toShare(value), label: format(value) })),
    xTicks: placed.ticks,
    baselineY: points.find(({ isBaseline }) => isBaseline)?.y,
    missingCount: rows.length - known.length,
  }
}

function getMargin(row: ExperimentRow, id: string): number {
  const key = getFeedbackKey(id)
  return (key !== undefined && row.figures.feedback.get(key)?.margin) || 0
}

interface Measured {
  readonly row: ExperimentRow
  readonly value: number
  readonly margin: number
}

interface Axis {
  readonly items: readonly (Measured & { at: number; label: string })[]
  readonly ticks: readonly { x: number; label: string }[]
}

/**
 * Places experiments on the axis. By time and by text they are in order at even distances, because attempts come in bursts
 * and would cover each other; by a number they are at that number.
 */
function placeOnAxis(items: readonly Measured[], x: string): Axis {
  if (x === 'time') {
    const sorted = items.toSorted((a, b) => (a.row.createdAt < b.row.createdAt ? -1 : 1))
    const placed = sorted.map((item, at) => ({
      ...item,
      at: (at + 0.5) / sorted.length,
      label: formatDay(item.row.createdAt),
    }))
    const ends = [placed[0], placed.at(-1)].flatMap((item) => (item ? [{ x: item.at, label: item.label }] : []))
    return { items: placed, ticks: ends[0]?.label === ends[1]?.label ? ends.slice(0, 1) : ends }
  }
  const path = getMetadataPath(metadataKeyColumn(x)) ?? [x]
  const values = items.map(({ row }) => readMetadataAt(row, path))
  const numbers = values.filter((value) => typeof value === 'number')
  return numbers.length === items.length && new Set(numbers).size > 1
    ? placeByNumber(items, numbers)
    : placeByText(
        items,
        values.map((value) => printMetadata(value) || 'no value'),
      )
}

function placeByNumber(items: readonly Measured[], numbers: readonly number[]): Axis {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)]
  // A margin of 6 % keeps the dots off the edges.
  const toShare = (value: number) => 0.06 + (0.88 * (value - least)) / (most - least)
  return {
    items: items
      .map((item, at) => ({ ...item, at: toShare(numbers[at] ?? least), label: String(numbers[at]) }))
      .sort((a, b) => a.at - b.at),
    ticks: [least, most].map((value) => ({ x: toShare(value), label: String(value) })),
  }
}

const MAX_TEXT_TICKS = 4

function placeByText(items: readonly Measured[], texts: readonly string[]): Axis {
  const categories = [...new Set(texts)].sort(compareValues)
  const members = categories.map((label) => items.filter((_, at) => texts[at] === label))
  const placed = categories.flatMap((label, category) =>
    (members[category] ?? []).map((item, at, all) => ({
      ...item,
      label,
      at: (category + (at + 1) / (all.length + 1)) / categories.length,
    })),
  )
  const ticks = categories.map((label, at) => ({ x: (at + 0.5) / categories.length, label }))
  return {
    items: placed,
    ticks: ticks.length <= MAX_TEXT_TICKS ? ticks : ticks.filter((_, at) => at === 0 || at === ticks.length - 1),
  }
}

interface Scale {
  readonly toShare: (value: number) => number
  readonly ticks: readonly number[]
}

/** @param startsAtZero  whether the scale includes zero, as sizes need it; scores use their own range */
function createScale(values: readonly number[], startsAtZero: boolean): Scale {
  const least = startsAtZero ? 0 : Math.min(...values)
  const most = Math.max(...values)
  if (values.length === 0 || !Number.isFinite(least) || !Number.isFinite(most)) return { toShare: () => 0.5, ticks: [] }
  // Equal values: a range wide enough for ticks whose labels differ.
  const span = most - least || Math.max(Math.abs(most) * 0.1, 1)
  const [low, high] = [startsAtZero ? 0 : least - span * 0.08, most + span * 0.08]
  const step = findStep((high - low) / 4)
  const ticks: number[] = []
  for (let at = Math.ceil(low / step); at * step <= high; at++) ticks.push(at * step)
  return { toShare: (value) => (value - low) / (high - low), ticks }
}

/** The next round number: 1, 2, 2.5 or 5 times a power of ten. */
function findStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(atLeast))
  return power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= atLeast) ?? 10)
}
