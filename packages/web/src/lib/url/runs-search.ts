import * as z from 'zod/mini'
import type { Filters } from '../filter/chips.ts'
import { flag, optional, tab, timeRange, withDefault } from './search-schema.ts'

export const RUNS_SEARCH_DEFAULTS = { scope: 'traces', t: '7d', sort: '-start_time', live: 'on' } as const

/** Search params of a list of runs. */
export const RunsSearch = z.object({
  scope: withDefault(z.enum(['traces', 'runs']), RUNS_SEARCH_DEFAULTS.scope),
  t: timeRange(RUNS_SEARCH_DEFAULTS.t),
  /** Conditions on the listed run, on the root of its trace and on any run of its trace, in the API's filter language. */
  filter: optional(z.string()),
  traceFilter: optional(z.string()),
  treeFilter: optional(z.string()),
  /** Column ids in order; the default set when absent. Unknown ids are skipped. */
  cols: optional(z.string()),
  /** By start time, newest first by default. Other columns sort only the loaded rows. */
  sort: withDefault(z.string().check(z.regex(/^-?(start_time|latency|ttft|tokens|cost)$/)), RUNS_SEARCH_DEFAULTS.sort),
  /** Saved view that was opened. The other params hold its state. */
  view: optional(z.guid()),
  /** Whether the facets are shown. */
  facets: flag(),
  /** Run shown in the panel beside the list. */
  peek: optional(z.guid()),
  tab: tab(),
  live: withDefault(z.enum(['on', 'off']), RUNS_SEARCH_DEFAULTS.live),
})
export type RunsSearch = z.infer<typeof RunsSearch>

type FilterSearch = Pick<RunsSearch, 'filter' | 'traceFilter' | 'treeFilter'>

/** The filters in search params. */
export function toFilters(search: FilterSearch): Filters {
  return { run: search.filter, root: search.traceFilter, tree: search.treeFilter }
}

/** The search params of filters. */
export function toFilterSearch({ run, root, tree }: Filters): FilterSearch {
  return { filter: run, traceFilter: root, treeFilter: tree }
}
