import type { RunsView } from '#data/runs.ts'
import type { RunsSearch } from '#lib/runs-search.ts'
import { columnsOf, RUN_COLUMNS } from './-runs-columns.tsx'

/** The part of the address that decides which runs are read. */
export function viewOf(
  projectId: string,
  search: Pick<RunsSearch, 'scope' | 't' | 'type' | 'errors' | 'cols'>,
): RunsView {
  return {
    projectId,
    scope: search.scope,
    t: search.t,
    ...(search.type !== undefined && { type: search.type }),
    ...(search.errors && { errors: true }),
    withExtra: columnsOf(search.cols).some((id) => RUN_COLUMNS[id]!.needsExtra),
  }
}
