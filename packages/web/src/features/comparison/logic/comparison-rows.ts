import type { ComparisonCells } from './comparison.ts'
import { getDelta, getOutcome, type MeasuredCells } from './comparison-measures.ts'

/** Sort of the rows by one experiment: by its value or by its difference to the baseline. */
export interface RowSort {
  readonly by: 'value' | 'delta'
  /** Experiment id. */
  readonly of: string
  readonly isDescending: boolean
}

/** Parses `-delta.<id>`. */
export function parseSort(text: string | undefined): RowSort | undefined {
  const found = /^(-?)(value|delta)\.(.+)$/.exec(text ?? '')
  const [, sign, by, of] = found ?? []
  return of === undefined ? undefined : { by: by === 'delta' ? 'delta' : 'value', of, isDescending: sign === '-' }
}

export function printSort({ by, of, isDescending }: RowSort): string {
  return `${isDescending ? '-' : ''}${by}.${of}`
}

/** The sort after a click on a column: worst first, then best first, then the order of the server. */
export function nextSort(current: RowSort | undefined, by: RowSort['by'], of: string, isLowerBetter: boolean) {
  const isWorstDescending = isLowerBetter
  if (current?.by !== by || current.of !== of) return { by, of, isDescending: isWorstDescending }
  return current.isDescending === isWorstDescending ? { by, of, isDescending: !isWorstDescending } : undefined
}

/** Sorts rows; rows without a value are last. Equal rows keep their order. */
export function sortRows(
  rows: readonly number[],
  cells: ComparisonCells,
  measured: MeasuredCells,
  sort: RowSort | undefined,
): readonly number[] {
  const at = sort === undefined ? -1 : cells.experiments.findIndex(({ id }) => id === sort.of)
  if (sort === undefined || at < 0) return rows
  const read = (example: number) =>
    sort.by === 'delta' ? getDelta(measured, at, example) : (measured.means[at]?.[example] ?? Number.NaN)
  const direction = sort.isDescending ? -1 : 1
  return [...rows].sort((one, other) => {
    const [left, right] = [read(one), read(other)]
    if (Number.isNaN(left) || Number.isNaN(right)) return Number(Number.isNaN(left)) - Number(Number.isNaN(right))
    return (left - right) * direction
  })
}

/** A cell of the comparison. */
export interface CellPosition {
  /** Index in the shown rows. */
  readonly row: number
  /** Index of the experiment. */
  readonly experiment: number
}

/**
 * The next cell that is worse than the baseline, row by row, from the given cell on; around the end to the start.
 *
 * @param step  1 forward, -1 backward
 */
export function findRegression(
  rows: readonly number[],
  measured: MeasuredCells,
  from: CellPosition | undefined,
  step: 1 | -1,
): CellPosition | undefined {
  const experiments = measured.means.length
  const total = rows.length * experiments
  const start = from === undefined ? (step === 1 ? -1 : total) : from.row * experiments + from.experiment
  for (let moved = 1; moved <= total; moved++) {
    const at = (((start + step * moved) % total) + total) % total
    const position = { row: Math.floor(at / experiments), experiment: at % experiments }
    if (getOutcome(measured, position.experiment, rows[position.row] ?? -1) === 'worse') return position
  }
  return undefined
}

/** The splits of all examples, sorted. */
export function listSplits({ splits }: ComparisonCells): string[] {
  return [...new Set(splits.flat())].sort()
}
