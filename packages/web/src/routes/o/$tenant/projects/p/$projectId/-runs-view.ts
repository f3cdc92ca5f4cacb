import type { Run } from '@touchstone/sdk'
import type { RunsView } from '#data/runs.ts'
import { type RunsSearch, toFilters } from '#lib/page-search.ts'
import { msBetween } from '#lib/time/time-range.ts'
import { findColumn, toColumnIds } from './-runs-columns.tsx'

/** The part of the URL that decides which runs are loaded. */
export type ViewSearch = Pick<RunsSearch, 'scope' | 't' | 'filter' | 'traceFilter' | 'treeFilter' | 'cols' | 'sort'>

export function toRunsView(projectId: string, search: ViewSearch): RunsView {
  return {
    projectId,
    scope: search.scope,
    t: search.t,
    filters: toFilters(search),
    order: search.sort === 'start_time' ? 'asc' : 'desc',
    withExtra: toColumnIds(search.cols).some((id) => findColumn(id)?.needsExtra),
  }
}

/** Columns by which loaded rows are sorted here; the API sorts by start time only. A leading `-` means descending. */
const SORT_VALUES: Readonly<Record<string, (run: Run) => number | null | undefined>> = {
  latency: (run) => msBetween(run.start_time, run.end_time),
  ttft: (run) => msBetween(run.start_time, run.first_token_time),
  tokens: (run) => run.total_tokens,
  cost: (run) => (run.total_cost == null ? null : Number(run.total_cost)),
}

/** Whether the API returns the rows in this order, so that the next page follows the last row. */
export function isApiOrder(sort: string): boolean {
  return SORT_VALUES[sort.replace('-', '')] === undefined
}

/** Sorts loaded rows by a column. Rows without a value come last in both directions; equal rows keep their order. */
export function sortRows(rows: readonly Run[], sort: string): Run[] {
  const readValue = SORT_VALUES[sort.replace('-', '')]
  if (readValue === undefined) return [...rows]
  const sign = sort.startsWith('-') ? -1 : 1
  return rows.toSorted((one, other) => {
    const [a, b] = [readValue(one) ?? undefined, readValue(other) ?? undefined]
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
    return sign * (a - b)
  })
}
