import type { RunsView } from '#data/runs.ts'
import { filtersOf, type RunsSearch } from '#lib/url/runs-search.ts'
import { columnOf, columnsOf } from './-runs-columns.tsx'

/** The part of the address that decides which runs are read. */
export type ViewSearch = Pick<RunsSearch, 'scope' | 't' | 'filter' | 'traceFilter' | 'treeFilter' | 'cols' | 'sort'>

export function viewOf(projectId: string, search: ViewSearch): RunsView {
  return {
    projectId,
    scope: search.scope,
    t: search.t,
    filters: filtersOf(search),
    order: search.sort === 'start_time' ? 'asc' : 'desc',
    withExtra: columnsOf(search.cols).some((id) => columnOf(id)?.needsExtra),
  }
}
