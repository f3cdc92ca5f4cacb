import type { TracerSessionResult as Project } from '@touchstone/sdk'
import type { CompareSearch } from '#features/experiments/search.ts'
import type { SearchChange } from './logic/compare-state.ts'
import { type ComparisonCells, getRunsOfExample } from './logic/comparison.ts'
import type { MeasuredCells, Measures } from './logic/comparison-measures.ts'
import type { RowSort } from './logic/comparison-rows.ts'
import type { RowFilter } from './logic/row-filter.ts'
import type { ComparisonView } from './queries.ts'

/** Everything that the layouts of a comparison show, and the way to change it: the URL is the state. */
export interface Comparison {
  readonly tenant: string
  readonly view: ComparisonView
  readonly cells: ComparisonCells
  /** The experiments with metadata and figures, by id; empty until they are loaded. */
  readonly projects: ReadonlyMap<string, Project>
  /** Number of examples in the dataset, once it is known. */
  readonly exampleCount: number | undefined
  /** Index of the baseline. */
  readonly baseline: number
  /** The metric of the page. */
  readonly measured: MeasuredCells
  readonly measures: Measures
  /** The shown repetition, from 0; undefined for all together. */
  readonly repetition: number | undefined
  readonly repetitions: number
  readonly filter: RowFilter
  readonly sort: RowSort | undefined
  /** Indices of the examples that match the filter, in order. */
  readonly rows: readonly number[]
  readonly search: CompareSearch
  /** @param how  `push` for deliberate changes, `replace` for continuous ones. @default 'push' */
  readonly change: (change: SearchChange, how?: 'push' | 'replace') => void
}

/** Changes when runs of the example arrive, so that their texts are read. */
export function getStamp({ cells }: Comparison, example: number): string {
  return cells.experiments
    .map((experiment) => {
      const runs = getRunsOfExample(experiment, example)
      const pending = runs.filter((run) => experiment.runs.status[run] === 'pending').length
      return `${runs.length}${pending > 0 ? `-${pending}` : ''}`
    })
    .join('.')
}

/** The run whose output a cell shows: that of the chosen repetition, otherwise the first. */
export function findShownRun(
  { cells, repetition }: Comparison,
  experiment: number,
  example: number,
): number | undefined {
  const compared = cells.experiments[experiment]
  if (compared === undefined) return undefined
  const runs = getRunsOfExample(compared, example)
  return repetition === undefined ? runs[0] : runs.find((run) => compared.runs.repetition[run] === repetition)
}
