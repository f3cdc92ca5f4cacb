import type { RunGrouping } from '@touchstone/contract'
import type { RunViewState } from '@touchstone/sdk'
import type { Filters } from './filter/chips.ts'
import {
  flag,
  guid,
  oneOf,
  optional,
  type SearchOf,
  searchSchema,
  tab,
  text,
  timeRange,
  withDefault,
} from './search-schema.ts'

export const RUNS_SEARCH_DEFAULTS = { scope: 'traces', t: '7d', sort: '-start_time', live: 'on' } as const

/** The chosen quickstart, while there are no runs; see `features/onboarding/quickstarts`. */
const quickstart = optional(text(/^[a-z-]+$/))

/** Search params of the home page. */
export const HomeSearch = searchSchema({ quickstart })

/** Search params of a list of runs. */
export const RunsSearch = searchSchema({
  quickstart,
  scope: withDefault(oneOf(['traces', 'runs']), RUNS_SEARCH_DEFAULTS.scope),
  t: timeRange(RUNS_SEARCH_DEFAULTS.t),
  /** Conditions on the listed run, on the root of its trace and on any run of its trace, in the API's filter language. */
  filter: optional(text()),
  traceFilter: optional(text()),
  treeFilter: optional(text()),
  /** Column ids in order; the default set when absent. Unknown ids are skipped. */
  cols: optional(text()),
  /** By start time, newest first by default, or by a figure; a leading `-` means descending. */
  sort: withDefault(text(/^-?(start_time|latency|ttft|tokens|cost)$/), RUNS_SEARCH_DEFAULTS.sort),
  /** Saved view that was opened. The other params hold its state. */
  view: optional(guid()),
  /** Whether the facets are shown. */
  facets: flag(),
  /** Run shown in the panel beside the list. */
  peek: optional(guid()),
  tab: tab(),
  live: withDefault(oneOf(['on', 'off']), RUNS_SEARCH_DEFAULTS.live),
})
export type RunsSearch = SearchOf<typeof RunsSearch>

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
export const ProjectsSearch = searchSchema({
  q: withDefault(text(), PROJECTS_SEARCH_DEFAULTS.q),
  t: timeRange(PROJECTS_SEARCH_DEFAULTS.t),
  /** A column's id, with `-` in front for descending. */
  sort: withDefault(text(/^-?[a-z0-9_]+$/), PROJECTS_SEARCH_DEFAULTS.sort),
  experiments: flag(),
  quickstart,
})
export type ProjectsSearch = SearchOf<typeof ProjectsSearch>

export const THREADS_SEARCH_DEFAULTS = { t: RUNS_SEARCH_DEFAULTS.t } as const

const { t, scope, filter, traceFilter, treeFilter } = RunsSearch.params

/** Search params of the list of threads. */
export const ThreadsSearch = searchSchema({
  t,
  filter,
  traceFilter,
  treeFilter,
  /** Only threads with a failed turn. */
  errors: flag(),
  /** Conditions on the scores of threads, in the API's filter language. */
  threadFilter: optional(text()),
})
export type ThreadsSearch = SearchOf<typeof ThreadsSearch>

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
export const ThreadSearch = searchSchema({
  /** The focused turn, counted from 1. */
  turn: optional((raw) => (typeof raw === 'number' || /^[1-9]\d{0,5}$/.test(String(raw)) ? Number(raw) : undefined)),
  /** Run shown in the panel beside the conversation. */
  peek: optional(guid()),
  tab: tab(),
  /** Whether the scores of the thread are shown beside the conversation. */
  scores: flag(),
})
export type ThreadSearch = SearchOf<typeof ThreadSearch>

/** Figures that the bars of the usage page can show. */
const USAGE_METRICS = ['runs', 'bytes', 'tokens', 'cost'] as const
export type UsageMetric = (typeof USAGE_METRICS)[number]

/** Columns that the usage of models can be sorted by. */
export const MODEL_SORTS = ['name', 'runs', 'prompt', 'completion', 'tokens', 'cost'] as const

export const USAGE_SEARCH_DEFAULTS = { days: '30', metric: 'runs', sort: '-cost' } as const

/** Search params of the usage page. */
export const UsageSearch = searchSchema({
  days: withDefault(oneOf(['7', '30', '90', '365']), USAGE_SEARCH_DEFAULTS.days),
  metric: withDefault(oneOf(USAGE_METRICS), USAGE_SEARCH_DEFAULTS.metric),
  /** A project whose days are shown instead of all. */
  project: optional(guid()),
  /** Column of the table of models, with `-` in front for descending. */
  sort: withDefault(text(new RegExp(`^-?(${MODEL_SORTS.join('|')})$`)), USAGE_SEARCH_DEFAULTS.sort),
})

/** Search params of the ingest page. */
export const IngestSearch = searchSchema({
  /** Of a run or trace. */
  id: optional(text()),
  outcome: optional(oneOf(['rejected'])),
  project: optional(guid()),
})
export type IngestSearch = SearchOf<typeof IngestSearch>

/** The visualizations of a trace, in the order of their keys, Shift 1 to 5. */
export const TRACE_VIEWS = ['tree', 'waterfall', 'flame', 'graph', 'thread'] as const
export type TraceViewName = (typeof TRACE_VIEWS)[number]

/** What the colors of a trace show. */
const COLOR_BYS = ['type', 'latency', 'cost', 'model'] as const
export type ColorBy = (typeof COLOR_BYS)[number]

/** The view state of a trace in the URL, for signed-in and public pages. */
export const TraceSearch = searchSchema({
  v: optional(oneOf(TRACE_VIEWS)),
  tab: optional(text()),
  path: optional(text()),
  q: optional(text()),
  types: optional(text(/^[\w-]+(,[\w-]+)*$/)),
  short: flag(),
  colour: optional(oneOf(COLOR_BYS)),
  critical: flag(),
  squeeze: flag(),
  z: optional(text(/^[\d.]+-[\d.]+$/)),
})
export type TraceSearch = SearchOf<typeof TraceSearch>

/** Search params of the monitor: which runs, and how to chart them. */
export const MonitorSearch = searchSchema({
  scope,
  t,
  filter,
  traceFilter,
  treeFilter,
  /** `model`, `name`, `tag`, `run_type`, or `metadata.` and a key. */
  group: optional(text(/^(model|name|tag|run_type|metadata\..+)$/)),
  /** Whether the previous period is drawn too: 1 or absent. */
  prev: optional(oneOf(['1'])),
  /** Ids of charts that are shown as tables. */
  tables: optional(text()),
  /** A saved dashboard instead of the built-in charts. */
  board: optional(guid()),
})
export type MonitorSearch = SearchOf<typeof MonitorSearch>

/** Search params of the model prices: what is open. */
export const PricesSearch = searchSchema({
  /** A model as runs name it, and its provider: the form of a new price is filled with them. */
  model: optional(text()),
  provider: optional(text()),
  /** A model whose stored runs are to be priced again. */
  reprice: optional(text()),
})
export type PricesSearch = SearchOf<typeof PricesSearch>

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
