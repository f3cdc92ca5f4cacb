import { type RunsSearch, toFilters } from '#lib/page-search.ts'
import type { RunSort, RunsView } from '../../queries.ts'
import { findColumn, toColumnIds } from '../runs-columns.tsx'

/** The part of the URL that decides which runs are loaded. */
export type ViewSearch = Pick<RunsSearch, 'scope' | 't' | 'filter' | 'traceFilter' | 'treeFilter' | 'cols' | 'sort'>

export function toRunsView(projectId: string, search: ViewSearch): RunsView {
  return {
    projectId,
    scope: search.scope,
    t: search.t,
    filters: toFilters(search),
    sortBy: findFigure(search.sort)?.sortBy,
    order: search.sort.startsWith('-') ? 'desc' : 'asc',
    withExtra: toColumnIds(search.cols).some((id) => findColumn(id)?.needsExtra),
  }
}

/** A figure that the list can be sorted by. */
interface SortFigure {
  readonly sortBy: RunSort
  readonly label: string
}

/** By the `sort` param without its `-`. */
const FIGURES: ReadonlyMap<string, SortFigure> = new Map([
  ['latency', { sortBy: 'latency', label: 'latency' }],
  ['ttft', { sortBy: 'first_token', label: 'time to first token' }],
  ['tokens', { sortBy: 'total_tokens', label: 'tokens' }],
  ['cost', { sortBy: 'total_cost', label: 'cost' }],
])

/** The figure that a `sort` param names; `undefined` for the order of time. */
export function findFigure(sort: string): SortFigure | undefined {
  return FIGURES.get(sort.replace('-', ''))
}

/** The order of the list in words. */
export function describeOrder(sort: string): string {
  const figure = findFigure(sort)
  const isDescending = sort.startsWith('-')
  if (figure === undefined) return isDescending ? 'Newest first' : 'Oldest first'
  return `All matching runs by ${figure.label}, ${isDescending ? 'highest' : 'lowest'} first`
}
