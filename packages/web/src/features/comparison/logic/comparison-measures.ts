import type { ComparedExperiment, ComparisonCells } from './comparison.ts'

/** A number of each run: a score, or a figure of the run. */
export type Measure = { readonly kind: 'score'; readonly key: string } | { readonly kind: Figure }
export type Figure = (typeof FIGURES)[number]
export const FIGURES = ['latency', 'tokens', 'cost'] as const

export const OUTCOMES = ['better', 'worse', 'same', 'missing'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** A measure as a part of a URL: `score:correctness`, `latency`. */
export function printMeasure(measure: Measure): string {
  return measure.kind === 'score' ? `score:${measure.key}` : measure.kind
}

export function parseMeasure(text: string): Measure | undefined {
  if (text.startsWith('score:')) return { kind: 'score', key: text.slice('score:'.length) }
  const kind = FIGURES.find((figure) => figure === text)
  return kind && { kind }
}

/** Whether lower values are better: by the feedback config for scores, always for latency, tokens and cost. */
export function isLowerBetter({ keys }: Pick<ComparisonCells, 'keys'>, measure: Measure): boolean {
  if (measure.kind !== 'score') return true
  return keys.find(({ key }) => key === measure.key)?.isLowerBetter ?? false
}

/** The values of the runs of an experiment; undefined without scores of the key. */
export function getRunValues({ runs, scores }: ComparedExperiment, measure: Measure): Float64Array | undefined {
  switch (measure.kind) {
    case 'score':
      return scores.get(measure.key)
    case 'latency':
      return runs.latencyMs
    case 'tokens':
      return runs.tokens
    case 'cost':
      return runs.cost
  }
}

/**
 * The mean of each example over its repetitions, `NaN` without a value. Every score counts once, as in the statistics of
 * the server, also when a run has several.
 *
 * @param repetition  only this repetition, from 0
 */
export function computeMeans(
  experiment: ComparedExperiment,
  examples: number,
  measure: Measure,
  repetition?: number,
): Float64Array {
  const sums = new Float64Array(examples)
  const counts = new Float64Array(examples)
  const values = getRunValues(experiment, measure)
  const weights = measure.kind === 'score' ? experiment.details.get(measure.key)?.counts : undefined
  const { example, repetition: repetitions } = experiment.runs
  values?.forEach((value, run) => {
    if (Number.isNaN(value) || (repetition !== undefined && repetitions[run] !== repetition)) return
    const at = example[run] ?? 0
    const weight = weights?.[run] ?? 1
    sums[at] = (sums[at] ?? 0) + value * weight
    counts[at] = (counts[at] ?? 0) + weight
  })
  return sums.map((sum, at) => (counts[at] === 0 ? Number.NaN : sum / (counts[at] ?? 1)))
}

/** The values of all experiments for one measure, by example, and their differences to the baseline. */
export interface MeasuredCells {
  readonly measure: Measure
  readonly isLowerBetter: boolean
  /** Index of the baseline; undefined when there is nothing to compare. */
  readonly baseline: number | undefined
  /** Only this repetition, from 0; undefined for all together. */
  readonly repetition: number | undefined
  /** By experiment: the mean of each example. */
  readonly means: readonly Float64Array[]
}

export interface MeasureOptions {
  readonly measure: Measure
  /** Index of the baseline. */
  readonly baseline: number
  /** Swaps better and worse. */
  readonly isFlipped?: boolean | undefined
  /** Only this repetition, from 0. */
  readonly repetition?: number | undefined
}

export function measureCells(cells: ComparisonCells, options: MeasureOptions): MeasuredCells {
  const { measure, baseline, isFlipped = false, repetition } = options
  return {
    measure,
    isLowerBetter: isLowerBetter(cells, measure) !== isFlipped,
    baseline: cells.experiments.length > 1 ? baseline : undefined,
    repetition,
    means: cells.experiments.map((experiment) =>
      computeMeans(experiment, cells.exampleIds.length, measure, repetition),
    ),
  }
}

/** The difference to the baseline, `NaN` where either has no value, and for the baseline itself. */
export function getDelta({ means, baseline }: MeasuredCells, experiment: number, example: number): number {
  if (baseline === undefined || experiment === baseline) return Number.NaN
  return (means[experiment]?.[example] ?? Number.NaN) - (means[baseline]?.[example] ?? Number.NaN)
}

/** Undefined for the baseline itself and without a baseline. */
export function getOutcome(measured: MeasuredCells, experiment: number, example: number): Outcome | undefined {
  const { means, baseline, isLowerBetter: lowerWins } = measured
  if (baseline === undefined || experiment === baseline) return undefined
  const [before, after] = [means[baseline]?.[example], means[experiment]?.[example]]
  if (before === undefined || after === undefined || Number.isNaN(before) || Number.isNaN(after)) return 'missing'
  // Means of the same scores in another order may differ by rounding; the server allows the same slack.
  const slack = 1e-12 * Math.max(Math.abs(before), Math.abs(after))
  const change = lowerWins ? before - after : after - before
  return change > slack ? 'better' : change < -slack ? 'worse' : 'same'
}

export type OutcomeCounts = Readonly<Record<Outcome, number>>

/** How many of the examples are better, worse, the same, or without a value on either side. */
export function countOutcomes(measured: MeasuredCells, experiment: number, examples: Iterable<number>): OutcomeCounts {
  const counts = { better: 0, worse: 0, same: 0, missing: 0 }
  for (const example of examples) {
    const outcome = getOutcome(measured, experiment, example)
    if (outcome !== undefined) counts[outcome]++
  }
  return counts
}

/** The mean over examples, and of the differences over the examples that both scored. `NaN` without any. */
export function summarizeMeasure(
  measured: MeasuredCells,
  experiment: number,
  examples: Iterable<number>,
): { mean: number; delta: number; count: number; pairs: number } {
  let [sum, count, difference, pairs] = [0, 0, 0, 0]
  for (const example of examples) {
    const value = measured.means[experiment]?.[example] ?? Number.NaN
    if (!Number.isNaN(value)) {
      sum += value
      count++
    }
    const delta = getDelta(measured, experiment, example)
    if (!Number.isNaN(delta)) {
      difference += delta
      pairs++
    }
  }
  return { mean: sum / count, delta: difference / pairs, count, pairs }
}

/** The key that the URL names, otherwise the first key with scores in most experiments, otherwise latency. */
export function chooseMeasure(cells: ComparisonCells, wanted: string | undefined): Measure {
  const named = wanted === undefined ? undefined : cells.keys.find(({ key }) => key === wanted)
  if (named !== undefined) return { kind: 'score', key: named.key }
  const figure = wanted === undefined ? undefined : parseMeasure(wanted)
  if (figure !== undefined && figure.kind !== 'score') return figure
  const countExperiments = (key: string) =>
    cells.experiments.filter(({ scores }) => scores.get(key)?.some((score) => !Number.isNaN(score))).length
  let best: string | undefined
  let most = 0
  for (const { key } of cells.keys) {
    const count = countExperiments(key)
    if (count > most) [best, most] = [key, count]
  }
  return best === undefined ? { kind: 'latency' } : { kind: 'score', key: best }
}

/** The measured cells of any measure, computed when they are first needed. */
export type Measures = (measure: Measure) => MeasuredCells

/** @param repetition  only this repetition, from 0 */
export function createMeasures(cells: ComparisonCells, baseline: number, repetition: number | undefined): Measures {
  const known = new Map<string, MeasuredCells>()
  return (measure) => {
    const name = printMeasure(measure)
    const measured = known.get(name) ?? measureCells(cells, { measure, baseline, repetition })
    known.set(name, measured)
    return measured
  }
}
