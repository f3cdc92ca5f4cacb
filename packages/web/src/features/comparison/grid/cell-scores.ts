import type { Comparison } from '../comparison.ts'
import { getRunsOfExample } from '../logic/comparison.ts'
import { getDelta, getOutcome, getRunValues, type Outcome } from '../logic/comparison-measures.ts'

export interface CellScore {
  readonly key: string
  readonly value: number
  readonly label: string | undefined
  readonly delta: number
  readonly outcome: Outcome | undefined
  readonly hasFailed: boolean
}

/** The scores of a cell: the metric of the page first, then the others by name. Keys without feedback are left out. */
export function listCellScores(comparison: Comparison, experiment: number, example: number): CellScore[] {
  const { cells, measured, measures, repetition } = comparison
  const compared = cells.experiments[experiment]
  if (compared === undefined) return []
  const metric = measured.measure.kind === 'score' ? measured.measure.key : undefined
  const runs = [...getRunsOfExample(compared, example)].filter(
    (run) => repetition === undefined || compared.runs.repetition[run] === repetition,
  )
  const keys = cells.keys.filter(({ key }) => compared.details.has(key))
  const sorted = [...keys].sort((one, other) => Number(other.key === metric) - Number(one.key === metric))
  return sorted.flatMap(({ key, labels }) => {
    const ofKey = key === metric ? measured : measures({ kind: 'score', key })
    const value = ofKey.means[experiment]?.[example] ?? Number.NaN
    const details = compared.details.get(key)
    const found = [
      ...new Set(runs.map((run) => labels[details?.labels?.[run] ?? -1]).filter((one) => one !== undefined)),
    ]
    const hasFailed = Number.isNaN(value) && runs.some((run) => details?.failed.has(run))
    if (Number.isNaN(value) && found.length === 0 && !hasFailed) return []
    return {
      key,
      value,
      label: found.length === 0 || isNumberText(found, value) ? undefined : found.join(', '),
      delta: getDelta(ofKey, experiment, example),
      outcome: getOutcome(ofKey, experiment, example),
      hasFailed,
    }
  })
}

/** Whether the label only repeats the score. */
function isNumberText(labels: readonly string[], value: number): boolean {
  return labels.every((label) => Number(label) === value)
}

export interface RepetitionDot {
  readonly repetition: number
  readonly value: number
  readonly state: 'better' | 'worse' | 'same' | 'error' | 'running' | 'none'
}

/** The repetitions of a cell, compared with the mean of the baseline; of the baseline itself: with its own mean. */
export function listRepetitions(comparison: Comparison, experiment: number, example: number): RepetitionDot[] {
  const { cells, measured, baseline } = comparison
  const compared = cells.experiments[experiment]
  if (compared === undefined) return []
  const values = getRunValues(compared, measured.measure)
  const reference = measured.means[experiment === baseline ? experiment : baseline]?.[example] ?? Number.NaN
  return Array.from(getRunsOfExample(compared, example), (run) => {
    const value = values?.[run] ?? Number.NaN
    const status = compared.runs.status[run]
    const change = measured.isLowerBetter ? reference - value : value - reference
    const byScore = Number.isNaN(change) ? 'none' : Math.abs(change) < 1e-9 ? 'same' : change > 0 ? 'better' : 'worse'
    return {
      repetition: compared.runs.repetition[run] ?? 0,
      value,
      state: status === 'error' ? 'error' : status === 'pending' ? 'running' : byScore,
    }
  })
}

/** Largest minus smallest value of the repetitions; 0 with fewer than two values. */
export function getSpread(dots: readonly RepetitionDot[]): number {
  const values = dots.map(({ value }) => value).filter((value) => !Number.isNaN(value))
  return values.length < 2 ? 0 : Math.max(...values) - Math.min(...values)
}
