import * as z from 'zod/mini'
import { filtersOf, RunsSearch } from './runs-search.ts'

/** What a link to the list of threads carries. */
export const ThreadsSearch = z.extend(
  z.pick(RunsSearch, { t: true, filter: true, traceFilter: true, treeFilter: true }),
  {
    /** Only threads in which a turn failed. */
    errors: z.catch(
      z.optional(
        z.pipe(
          z.union([z.literal('1'), z.literal('true'), z.literal(true)]),
          z.transform(() => true as const),
        ),
      ),
      undefined,
    ),
  },
)
export type ThreadsSearch = z.infer<typeof ThreadsSearch>

export const THREADS_SEARCH_DEFAULTS = { t: '7d' } as const

/** The part of the address that decides which threads are read. */
export function threadsViewOf(projectId: string, search: ThreadsSearch) {
  return { projectId, t: search.t, filters: filtersOf(search), errors: search.errors }
}

/** What a link to a conversation carries. */
export const ThreadSearch = z.object({
  /** The turn in focus, counted from 1. */
  turn: z.catch(
    z.optional(z.pipe(z.union([z.string().check(z.regex(/^[1-9]\d{0,5}$/)), z.number()]), z.transform(Number))),
    undefined,
  ),
  /** Run shown in the panel beside the conversation. */
  peek: z.catch(z.optional(z.guid()), undefined),
  tab: z.catch(z.optional(z.string().check(z.regex(/^[a-z]+$/))), undefined),
})
export type ThreadSearch = z.infer<typeof ThreadSearch>
