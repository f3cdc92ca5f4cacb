import { flag, guid, oneOf, optional, type SearchOf, searchSchema, text, withDefault } from '#lib/search-schema.ts'

export const EXPERIMENTS_SEARCH_DEFAULTS = { q: '', sort: '-start_time', x: 'time' } as const

/** Search params of the experiments of a dataset. */
export const ExperimentsSearch = searchSchema({
  q: withDefault(text(), EXPERIMENTS_SEARCH_DEFAULTS.q),
  /** Filter language over the fields of projects. */
  filter: optional(text()),
  /** A column's id, with `-` in front for descending. */
  sort: withDefault(text(), EXPERIMENTS_SEARCH_DEFAULTS.sort),
  cols: optional(text()),
  /** Metadata key to group by. */
  group: optional(text()),
  /** Columns with a chart, separated by commas; absent: the first feedback keys, latency and cost. */
  metric: optional(text()),
  /** Axis of the charts: `time` or a metadata key. */
  x: withDefault(text(), EXPERIMENTS_SEARCH_DEFAULTS.x),
})
export type ExperimentsSearch = SearchOf<typeof ExperimentsSearch>

export const COMPARE_LAYOUTS = ['grid', 'focus', 'summary'] as const
export type CompareLayout = (typeof COMPARE_LAYOUTS)[number]
export const DIFF_MODES = ['off', 'reference', 'baseline'] as const
export type DiffMode = (typeof DIFF_MODES)[number]

export const COMPARE_SEARCH_DEFAULTS = { layout: 'grid', diff: 'off' } as const

/**
 * Search params of a comparison. Public clients print `selectedSessions` (ids separated by commas) and
 * `comparativeExperiment`.
 */
export const CompareSearch = searchSchema({
  selectedSessions: optional(text()),
  comparativeExperiment: optional(guid()),
  /** Experiment that the others are compared with; absent: the first one. */
  baseline: optional(guid()),
  /** Feedback key of deltas, counts and sorting; absent: the first one. */
  metric: optional(text()),
  /** Swaps better and worse for the metric. */
  flip: flag(),
  layout: withDefault(oneOf(COMPARE_LAYOUTS), COMPARE_SEARCH_DEFAULTS.layout),
  diff: withDefault(oneOf(DIFF_MODES), COMPARE_SEARCH_DEFAULTS.diff),
  /** Only examples with these outcomes: `better`, `worse`, `same`, `different`, `errors`, `missing`, with the id of an experiment after a dot. */
  show: optional(text()),
  split: optional(text()),
  /** Text that an input, reference or output contains. */
  q: optional(text()),
  /** Examples by metadata, in the filter language. */
  meta: optional(text()),
  /** Conditions on columns, as JSON; see `comparison/logic/row-filter.ts`. */
  filter: optional(text()),
  sort: optional(text()),
  cols: optional(text()),
  /** Example that has the focus, or is open in the focus layout. */
  ex: optional(guid()),
  /** Repetition that the cells show, from 1; absent: all together. */
  rep: optional(text()),
  /** Run that is open in the panel. */
  peek: optional(guid()),
  /** Human votes on pairs. */
  vote: flag(),
})
export type CompareSearch = SearchOf<typeof CompareSearch>
