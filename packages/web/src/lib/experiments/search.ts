import * as z from 'zod/mini'
import { flag, optional, withDefault } from '#lib/search-schema.ts'

export const EXPERIMENTS_SEARCH_DEFAULTS = { q: '', sort: '-start_time', x: 'time' } as const

/** Search params of the experiments of a dataset. */
export const ExperimentsSearch = z.object({
  q: withDefault(z.string(), EXPERIMENTS_SEARCH_DEFAULTS.q),
  /** Filter language over the fields of projects. */
  filter: optional(z.string()),
  /** A column's id, with `-` in front for descending. */
  sort: withDefault(z.string(), EXPERIMENTS_SEARCH_DEFAULTS.sort),
  cols: optional(z.string()),
  /** Metadata key to group by. */
  group: optional(z.string()),
  /** Columns with a chart, separated by commas; absent: the first feedback keys, latency and cost. */
  metric: optional(z.string()),
  /** Axis of the charts: `time` or a metadata key. */
  x: withDefault(z.string(), EXPERIMENTS_SEARCH_DEFAULTS.x),
})
export type ExperimentsSearch = z.infer<typeof ExperimentsSearch>

export const COMPARE_LAYOUTS = ['grid', 'focus', 'summary'] as const
export type CompareLayout = (typeof COMPARE_LAYOUTS)[number]
export const DIFF_MODES = ['off', 'reference', 'baseline'] as const
export type DiffMode = (typeof DIFF_MODES)[number]

export const COMPARE_SEARCH_DEFAULTS = { layout: 'grid', diff: 'off' } as const

/**
 * Search params of a comparison. Public clients print `selectedSessions` (ids separated by commas) and
 * `comparativeExperiment`.
 */
export const CompareSearch = z.object({
  selectedSessions: optional(z.string()),
  comparativeExperiment: optional(z.guid()),
  /** Experiment that the others are compared with; absent: the first one. */
  baseline: optional(z.guid()),
  /** Feedback key of deltas, counts and sorting; absent: the first one. */
  metric: optional(z.string()),
  /** Swaps better and worse for the metric. */
  flip: flag(),
  layout: withDefault(z.enum(COMPARE_LAYOUTS), COMPARE_SEARCH_DEFAULTS.layout),
  diff: withDefault(z.enum(DIFF_MODES), COMPARE_SEARCH_DEFAULTS.diff),
  /** Only examples with these outcomes: `better`, `worse`, `same`, `different`, `errors`, `missing`, with the id of an experiment after a dot. */
  show: optional(z.string()),
  split: optional(z.string()),
  /** Text that an input, reference or output contains. */
  q: optional(z.string()),
  /** Conditions on columns, as JSON; see `lib/experiments/row-filter.ts`. */
  filter: optional(z.string()),
  sort: optional(z.string()),
  cols: optional(z.string()),
  /** Example that has the focus, or is open in the focus layout. */
  ex: optional(z.guid()),
  /** Repetition that the cells show, from 1; absent: all together. */
  rep: optional(z.string()),
  /** Run that is open in the panel. */
  peek: optional(z.guid()),
  /** Human votes on pairs. */
  vote: flag(),
})
export type CompareSearch = z.infer<typeof CompareSearch>
