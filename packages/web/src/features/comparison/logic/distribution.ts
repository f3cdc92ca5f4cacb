import { computeMargin } from '#features/experiments/experiment-row.ts'
import { type ComparedExperiment, type ComparisonCells, getRunsOfExample } from './comparison.ts'
import type { MeasuredCells } from './comparison-measures.ts'
import type { CellCondition } from './row-filter.ts'

/** A bar of a histogram. */
export interface Bin {
  readonly low: number
  /** Equal to `low` when the bar is one value. */
  readonly high: number
  /** Whether values equal to `high` belong to this bar. Otherwise they belong to the next one. */
  readonly includesHigh: boolean
  /** Number of examples, by experiment. */
  readonly counts: readonly number[]
}

const MAX_VALUES = 8
const BIN_COUNT = 16

/** The number of examples per value of a metric; up to eight different values have a bar each. */
export function computeBins({ means }: MeasuredCells, examples: readonly number[]): readonly Bin[] {
  const values = means.map((column) =>
    examples.map((at) => column[at] ?? Number.NaN).filter((value) => !Number.isNaN(value)),
  )
  const all = values.flat()
  if (all.length === 0) return []
  const different = [...new Set(all)].sort((a, b) => a - b)
  if (different.length <= MAX_VALUES) {
    return different.map((value) => ({
      low: value,
      high: value,
      includesHigh: true,
      counts: values.map((list) => list.filter((one) => one === value).length),
    }))
  }
  const [least, most] = [different[0] ?? 0, different.at(-1) ?? 1]
  const width = (most - least) / BIN_COUNT
  const lows = Array.from({ length: BIN_COUNT }, (_, at) => least + at * width)
  // By the limits themselves, because a quotient may round to the other side of one.
  const toBin = (value: number) => lows.findLastIndex((low) => value >= low)
  const counts = values.map((list) => {
    const ofExperiment = new Array<number>(BIN_COUNT).fill(0)
    for (const value of list) ofExperiment[toBin(value)] = (ofExperiment[toBin(value)] ?? 0) + 1
    return ofExperiment
  })
  return lows.map((low, at) => ({
    low,
    high: lows[at + 1] ?? most,
    includesHigh: at === BIN_COUNT - 1,
    counts: counts.map((list) => list[at] ?? 0),
  }))
}

/** The part of a condition that matches the values of a bar, and no value of another bar. */
export function getBinRange({ low, high, includesHigh }: Bin): Pick<CellCondition, 'min' | 'max' | 'below'> {
  return includesHigh ? { min: low, max: high } : { min: low, below: high }
}

/** An example in a scatter plot: its value in the baseline and in another experiment. */
export interface Pair {
  readonly example: number
  readonly x: number
  readonly y: number
}

/** The examples with a value in both experiments. */
export function listPairs(
  { means, baseline }: MeasuredCells,
  experiment: number,
  examples: Iterable<number>,
): readonly Pair[] {
  const pairs: Pair[] = []
  for (const example of examples) {
    const [x, y] = [means[baseline ?? -1]?.[example] ?? Number.NaN, means[experiment]?.[example] ?? Number.NaN]
    if (!Number.isNaN(x) && !Number.isNaN(y)) pairs.push({ example, x, y })
  }
  return pairs
}

/** Equal pairs drawn as one dot. */
export interface Dot {
  readonly x: number
  readonly y: number
  readonly count: number
}

/** Joins pairs that fall on the same position of a grid with this many steps, so that a plot has a bounded number of dots. */
export function toDots(pairs: readonly Pair[], steps = 60): readonly Dot[] {
  const values = pairs.flatMap(({ x, y }) => [x, y])
  const [least, most] = findRange(values)
  const unit = (most - least) / steps || 1
  const dots = new Map<string, Dot>()
  for (const { x, y } of pairs) {
    const key = `${Math.round((x - least) / unit)} ${Math.round((y - least) / unit)}`
    const known = dots.get(key)
    dots.set(key, { x: known?.x ?? x, y: known?.y ?? y, count: (known?.count ?? 0) + 1 })
  }
  return [...dots.values()]
}

/** The least and the greatest value; 0 and 1 without values. */
export function findRange(values: readonly number[]): readonly [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) {
    if (value < least) least = value
    if (value > most) most = value
  }
  return values.length === 0 ? [0, 1] : [least, most]
}

/** Figures of the runs of an experiment. Unknown figures are `NaN`. */
export interface RunFigures {
  readonly runCount: number
  readonly errorCount: number
  readonly latencyP50Ms: number
  /** Sum over the runs with known tokens. */
  readonly tokens: number
  /** Sum over the runs with a known price, in US dollars. */
  readonly cost: number
  /** The part of it that was reported by the client; `NaN`: all of it was computed. */
  readonly reportedCost: number
  /** Mean over the runs with a known price. */
  readonly costPerRun: number
}

export function computeRunFigures({ runs }: ComparedExperiment): RunFigures {
  const known = (column: Float64Array) => column.filter((value) => !Number.isNaN(value))
  const [latencies, tokens, costs] = [known(runs.latencyMs).sort(), known(runs.tokens), known(runs.cost)]
  const sum = (column: Float64Array) =>
    column.length === 0 ? Number.NaN : column.reduce((one, other) => one + other, 0)
  return {
    runCount: runs.count,
    errorCount: runs.status.filter((status) => status === 'error').length,
    latencyP50Ms: getMedian(latencies),
    tokens: sum(tokens),
    cost: sum(costs),
    reportedCost: sum(known(runs.reportedCost)),
    costPerRun: sum(costs) / costs.length,
  }
}

/** @param sorted  in rising order */
function getMedian(sorted: Float64Array): number {
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
}

/** The mean of a metric over examples, with half the width of its 95 % interval. */
export interface MeanWithMargin {
  readonly mean: number
  readonly margin: number | undefined
  readonly count: number
}

export function computeMean(column: Float64Array | undefined, examples: Iterable<number>): MeanWithMargin {
  let [count, mean, squares] = [0, 0, 0]
  for (const example of examples) {
    const value = column?.[example] ?? Number.NaN
    if (Number.isNaN(value)) continue
    count++
    const change = value - mean
    mean += change / count
    squares += change * (value - mean)
  }
  const deviation = count < 2 ? undefined : Math.sqrt(squares / (count - 1))
  return { mean: count === 0 ? Number.NaN : mean, margin: computeMargin(deviation, count, 1), count }
}

/** Changes with the scores of the experiments, new and corrected ones, so that statistics are read again. */
export function hashScores({ experiments }: ComparisonCells): string {
  return experiments
    .map(({ scores, details }) => {
      let hash = 0
      for (const [key, column] of scores) hash = hashColumn(details.get(key)?.counts, hashColumn(column, hash))
      return (hash >>> 0).toString(36)
    })
    .join('.')
}

/** A step loses nothing of the hash before it, so that a change anywhere in the column is kept to the end. */
function hashColumn(column: Float64Array | undefined, start: number): number {
  if (column === undefined) return start
  let hash = start
  for (const half of new Uint32Array(column.buffer)) {
    hash = Math.imul(hash ^ half, 0x9e3779b1)
    hash ^= hash >>> 15
  }
  return hash
}

/** The mean reported part of the cost of the runs of an example; undefined when all of it was computed. */
export function computeReportedPart(experiment: ComparedExperiment, example: number): number | undefined {
  const { cost, reportedCost } = experiment.runs
  const priced = Array.from(getRunsOfExample(experiment, example)).filter((run) => !Number.isNaN(cost[run]))
  const reported = priced.map((run) => reportedCost[run] || 0).reduce((one, other) => one + other, 0)
  return reported === 0 ? undefined : reported / priced.length
}
