import * as z from 'zod/mini'
import { RUNS_SEARCH_DEFAULTS, RunsSearch, toFilters } from './runs-search.ts'
import { flag, optional, tab } from './search-schema.ts'

export const THREADS_SEARCH_DEFAULTS = { t: RUNS_SEARCH_DEFAULTS.t } as const

/** Search params of the list of threads. */
export const ThreadsSearch = z.extend(
  z.pick(RunsSearch, { t: true, filter: true, traceFilter: true, treeFilter: true }),
  {
    /** Only threads with a failed turn. */
    errors: flag(),
  },
)
export type ThreadsSearch = z.infer<typeof ThreadsSearch>

/** The request for the list of threads that these search params show. */
export function toThreadsRequest(projectId: string, search: ThreadsSearch) {
  return { projectId, t: search.t, filters: toFilters(search), errors: search.errors }
}

/** Search params of a thread. */
export const ThreadSearch = z.object({
  /** The focused turn, counted from 1. */
  turn: optional(z.pipe(z.union([z.string().check(z.regex(/^[1-9]\d{0,5}$/)), z.number()]), z.transform(Number))),
  /** Run shown in the panel beside the conversation. */
  peek: optional(z.guid()),
  tab: tab(),
})
export type ThreadSearch = z.infer<typeof ThreadSearch>
