import * as z from 'zod/mini'
import type { Filters } from '../filter/chips.ts'
import { parseTimeRange } from '../time/time-range.ts'

/** What a link to a runs list carries. Anything unreadable falls back to the default, and defaults are not printed. */
export const RunsSearch = z.object({
  scope: z.catch(z._default(z.enum(['traces', 'runs']), 'traces'), 'traces'),
  t: z.catch(z._default(z.string().check(z.refine((text) => parseTimeRange(text) !== undefined)), '7d'), '7d'),
  /** Conditions on the listed run, on the root of its trace and on any run of its trace, as the API takes them. */
  filter: z.catch(z.optional(z.string()), undefined),
  traceFilter: z.catch(z.optional(z.string()), undefined),
  treeFilter: z.catch(z.optional(z.string()), undefined),
  /** Columns in order; the default set when absent. Ids that do not exist are left out. */
  cols: z.catch(z.optional(z.string()), undefined),
  /** By start time, newest first by default; by anything else only the rows that are loaded. */
  sort: z.catch(
    z._default(z.string().check(z.regex(/^-?(start_time|latency|ttft|tokens|cost)$/)), '-start_time'),
    '-start_time',
  ),
  /** Saved view that this came from; what it shows stands in the other parameters. */
  view: z.catch(z.optional(z.guid()), undefined),
  /** Whether the rail of facets is shown. */
  facets: flag(),
  /** Run shown in the panel beside the list. */
  peek: z.catch(z.optional(z.guid()), undefined),
  /** Open tab of that panel; what other products left here is ignored by the panel. */
  tab: z.catch(z.optional(z.string().check(z.regex(/^[a-z]+$/))), undefined),
  live: z.catch(z._default(z.enum(['on', 'off']), 'on'), 'on'),
})
export type RunsSearch = z.infer<typeof RunsSearch>

/** The filters of a list as its address holds them. */
export function filtersOf(search: Pick<RunsSearch, 'filter' | 'traceFilter' | 'treeFilter'>): Filters {
  return { run: search.filter, root: search.traceFilter, tree: search.treeFilter }
}

/** The address of a list with these filters. */
export function searchOf({ run, root, tree }: Filters): Pick<RunsSearch, 'filter' | 'traceFilter' | 'treeFilter'> {
  return { filter: run, traceFilter: root, treeFilter: tree }
}

export const RUNS_SEARCH_DEFAULTS = { scope: 'traces', t: '7d', sort: '-start_time', live: 'on' } as const

/** What a link to the projects list carries. */
export const ProjectsSearch = z.object({
  q: z.catch(z._default(z.string(), ''), ''),
  t: z.catch(z._default(z.string().check(z.refine((text) => parseTimeRange(text) !== undefined)), '24h'), '24h'),
  /** A column's id, with `-` in front for descending. */
  sort: z.catch(z._default(z.string().check(z.regex(/^-?[a-z0-9_]+$/)), '-last_run'), '-last_run'),
  experiments: flag(),
})
export type ProjectsSearch = z.infer<typeof ProjectsSearch>

export const PROJECTS_SEARCH_DEFAULTS = { q: '', t: '24h', sort: '-last_run' } as const

/** `1` in the URL, true in the code, absent when off. */
function flag() {
  return z.catch(
    z.optional(
      z.pipe(
        z.union([z.literal('1'), z.literal('true'), z.literal(true)]),
        z.transform(() => true as const),
      ),
    ),
    undefined,
  )
}
