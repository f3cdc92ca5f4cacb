import type { Run } from '@touchstone/sdk'
import { spanMs } from './-runs-columns.tsx'

/** What the loaded rows can be sorted by, beside the start that the API sorts by: columns, with a `-` for descending. */
const FIGURES: Readonly<Record<string, (run: Run) => number | null | undefined>> = {
  latency: (run) => spanMs(run.start_time, run.end_time),
  ttft: (run) => spanMs(run.start_time, run.first_token_time),
  tokens: (run) => run.total_tokens,
  cost: (run) => (run.total_cost == null ? null : Number(run.total_cost)),
}

/** Whether the API gives the rows in this order, so that the next page follows the last row. */
export function isOrderOfList(sort: string): boolean {
  return FIGURES[sort.replace('-', '')] === undefined
}

/** Rows in the order of a figure; those without one come last in both directions, and equals stay as they were. */
export function sortRows(rows: readonly Run[], sort: string): Run[] {
  const figure = FIGURES[sort.replace('-', '')]
  if (figure === undefined) return [...rows]
  const sign = sort.startsWith('-') ? -1 : 1
  return rows.toSorted((one, other) => {
    const [a, b] = [figure(one) ?? undefined, figure(other) ?? undefined]
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
    return sign * (a - b)
  })
}
