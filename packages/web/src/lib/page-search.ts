import type { RunGrouping } from '@touchstone/contract'
import type { RunViewState } from '@touchstone/sdk'
import * as z from 'zod/mini'
import type { Filters } from './filter/chips.ts'
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

export const PROJECTS_SEARCH_DEFAULTS = { q: '', t: '24h', sort: '-last_run' } as const

/** Search params of the list of projects. */
export const ProjectsSearch = z.object({
  q: withDefault(z.string(), PROJECTS_SEARCH_DEFAULTS.q),
  t: timeRange(PROJECTS_SEARCH_DEFAULTS.t),
  /** A column's id, with `-` in front for descending. */
  sort: withDefault(z.string().check(z.regex(/^-?[a-z0-9_]+$/)), PROJECTS_SEARCH_DEFAULTS.sort),
  experiments: flag(),
})
export type ProjectsSearch = z.infer<typeof ProjectsSearch>

export const THREADS_SEARCH_DEFAULTS = { t: RUNS_SEARCH_DEFAULTS.t } as const

/** Search params of the list of threads. */
export const ThreadsSearch = z.extend(
  z.pick(RunsSearch, { t: true, filter: true, traceFilter: true, treeFilter: true }),
  {
    /** Only threads with a failed turn. */
    errors: flag(),
    /** Conditions on the scores of threads, in the API's filter language. */
    threadFilter: optional(z.string()),
  },
)
export type ThreadsSearch = z.infer<typeof ThreadsSearch>

/** The request for the list of threads that these search params show. */
export function toThreadsRequest(projectId: string, search: ThreadsSearch) {
  return {
    projectId,
    t: search.t,
    filters: toFilters(search),
    errors: search.errors,
    threadFilter: search.threadFilter,
  }
}

/** Search params of a thread. */
export const ThreadSearch = z.object({
  /** The focused turn, counted from 1. */
  turn: optional(z.pipe(z.union([z.string().check(z.regex(/^[1-9]\d{0,5}$/)), z.number()]), z.transform(Number))),
  /** Run shown in the panel beside the conversation. */
  peek: optional(z.guid()),
  tab: tab(),
  /** Whether the scores of the thread are shown beside the conversation. */
  scores: flag(),
})
export type ThreadSearch = z.infer<typeof ThreadSearch>

/** The visualizations of a trace, in the order of their keys, Shift 1 to 5. */
export const TRACE_VIEWS = ['tree', 'waterfall', 'flame', 'graph', 'thread'] as const
export type TraceViewName = (typeof TRACE_VIEWS)[number]

/** What the colors of a trace show. */
const COLOR_BYS = ['type', 'latency', 'cost', 'model'] as const
export type ColorBy = (typeof COLOR_BYS)[number]

/** The view state of a trace in the URL, for signed-in and public pages. */
export const TraceSearch = z.object({
  v: optional(z.enum(TRACE_VIEWS)),
  tab: optional(z.string()),
  path: optional(z.string()),
  q: optional(z.string()),
  types: optional(z.string().check(z.regex(/^[\w-]+(,[\w-]+)*$/))),
  short: flag(),
  colour: optional(z.enum(COLOR_BYS)),
  critical: flag(),
  squeeze: flag(),
  z: optional(z.string().check(z.regex(/^[\d.]+-[\d.]+$/))),
})
export type TraceSearch = z.infer<typeof TraceSearch>

/** Search params of the monitor: which runs, and how to chart them. */
export const MonitorSearch = z.extend(
  z.pick(RunsSearch, { scope: true, t: true, filter: true, traceFilter: true, treeFilter: true }),
  {
    /** `model`, `name`, `tag`, `run_type`, or `metadata.` and a key. */
    group: optional(z.string().check(z.regex(/^(model|name|tag|run_type|metadata\..+)$/))),
    /** Whether the previous period is drawn too: 1 or absent. */
    prev: optional(z.literal('1')),
    /** Ids of charts that are shown as tables. */
    tables: optional(z.string()),
    /** A saved dashboard instead of the built-in charts. */
    board: optional(z.guid()),
  },
)
export type MonitorSearch = z.infer<typeof MonitorSearch>

/** The grouping of a `group` param. */
export function parseGrouping(group: string | undefined): RunGrouping | undefined {
  if (group === undefined) return undefined
  if (group.startsWith('metadata.')) return { attribute: 'metadata', path: group.slice('metadata.'.length) }
  return { attribute: group as RunGrouping['attribute'] }
}

const PARTS = ['filter', 'traceFilter', 'treeFilter', 't', 'scope', 'cols', 'sort'] as const

/** The state of a saved view. Defaults are left out, so that saved views follow later changes of the defaults. */
export function toViewState(search: RunsSearch): RunViewState {
  const defaults: Partial<Record<string, string>> = RUNS_SEARCH_DEFAULTS
  return Object.fromEntries(
    PARTS.flatMap((part) => {
      const value = search[part]
      return value === undefined || value === defaults[part] ? [] : [[part, value]]
    }),
  )
}

/** The search params of a saved view. Missing and invalid params get their defaults. */
export function toRunsSearch(state: RunViewState): Pick<RunsSearch, (typeof PARTS)[number]> {
  const { filter, traceFilter, treeFilter, t, scope, cols, sort } = RunsSearch.parse(state)
  return { filter, traceFilter, treeFilter, t, scope, cols, sort }
}

/** Whether the search params differ from the saved view. */
export function isEdited(search: RunsSearch, state: RunViewState): boolean {
  const [now, then] = [toViewState(search), toViewState(RunsSearch.parse(state))]
  return PARTS.some((part) => now[part] !== then[part])
}
