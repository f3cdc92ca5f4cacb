import type { FeedbackStat, RunQuery } from '../schemas.ts'

/** Figures over runs. Latencies are seconds, rates 0–1, costs US dollars, null when no price is known. */
export interface RunStats {
  run_count?: number | undefined
  latency_p50?: number | null | undefined
  latency_p99?: number | null | undefined
  latency_avg?: number | null | undefined
  first_token_p50?: number | null | undefined
  first_token_p99?: number | null | undefined
  total_tokens?: number | undefined
  prompt_tokens?: number | undefined
  completion_tokens?: number | undefined
  median_tokens?: number | null | undefined
  tokens_p99?: number | null | undefined
  prompt_tokens_p50?: number | null | undefined
  prompt_tokens_p99?: number | null | undefined
  completion_tokens_p50?: number | null | undefined
  completion_tokens_p99?: number | null | undefined
  last_run_start_time?: string | null | undefined
  error_rate?: number | null | undefined
  streaming_rate?: number | null | undefined
  total_cost?: number | null | undefined
  prompt_cost?: number | null | undefined
  completion_cost?: number | null | undefined
  cost_p50?: number | null | undefined
  cost_p99?: number | null | undefined
  feedback_stats?: Record<string, FeedbackStat> | null | undefined
  thread_feedback_stats?: Record<string, FeedbackStat> | null | undefined
  session_feedback_stats?: Record<string, FeedbackStat> | null | undefined
  run_facets?: RunFacet[] | null | undefined
  prompt_token_details?: Record<string, number> | null | undefined
  completion_token_details?: Record<string, number> | null | undefined
  prompt_cost_details?: Record<string, number> | null | undefined
  completion_cost_details?: Record<string, number> | null | undefined
  group_count?: number | undefined
}

/** One value of an attribute, and the filter that finds the runs which have it. */
export interface RunFacet {
  key: string
  value: string
  query: string
  n: number
}

/** Which runs are meant: the conditions of a query. */
export type RunConditions = Omit<RunQuery, 'select' | 'limit' | 'cursor' | 'order' | 'skip_pagination'>

export interface RunGrouping {
  attribute: 'name' | 'run_type' | 'status' | 'model' | 'tag' | 'metadata'
  /** Key of `metadata`. */
  path?: string | undefined
  max_groups?: number | undefined
}

export interface RunStatsQuery extends RunConditions {
  select?: string[] | undefined
  group_by?: RunGrouping | undefined
  groups?: (string | null)[] | undefined
  include_details?: boolean | undefined
  reference_dataset_id?: string | undefined
}

export type Bucket = '1m' | '5m' | '15m' | '30m' | '1h' | '3h' | '6h' | '12h' | '1d' | '1w' | '1M'

export interface RunHistogramQuery extends RunConditions {
  /** Absent: the shortest that cuts the window into at most 60. */
  bucket?: Bucket | undefined
  /** IANA name. @default UTC */
  time_zone?: string | undefined
}

export interface RunSeriesQuery extends RunHistogramQuery {
  group_by?: (RunGrouping & { offset?: number | undefined }) | undefined
  feedback_keys?: string[] | undefined
}

/** One bucket. Latencies are seconds; what is not known is null. */
export interface SeriesPoint {
  time: string
  run_count: number
  error_count: number
  latency_p50: number | null
  latency_p95: number | null
  latency_p99: number | null
  first_token_p50: number | null
  first_token_p99: number | null
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  prompt_cost: number | null
  completion_cost: number | null
  total_cost: number | null
  feedback: Record<string, { n: number; avg: number | null }>
}

/** Buckets without runs have no point. `other` is every group that is not in `series`, together. */
export interface RunSeries {
  bucket: Bucket
  time_zone: string
  total_groups: number
  series: { group: string | null; run_count: number; points: SeriesPoint[] }[]
  other: { run_count: number; points: SeriesPoint[] } | null
}

export interface RunHistogram {
  bucket: Bucket
  time_zone: string
  buckets: { time: string; success: number; error: number; pending: number; interrupted: number }[]
}

export interface RunFacetsQuery extends RunConditions {
  /** `error`: the first line of the error. @default all but `error` */
  facets?: ('run_type' | 'status' | 'name' | 'model' | 'tag' | 'metadata_key' | 'error')[] | undefined
  metadata_keys?: string[] | undefined
  /** Values per attribute. @default 20 */
  limit?: number | undefined
  contains?: string | undefined
}

/** `total` counts the values there are, `errors` the runs with the value that failed. */
export interface RunFacets {
  facets: { key: string; total: number; values: (RunFacet & { errors: number })[] }[]
}

/** Where a value stands: a payload, then keys and positions from 0. */
export type RunValuePath = ['inputs' | 'outputs' | 'extra', ...(string | number)[]]

export interface RunValuesQuery {
  id: string[]
  paths: RunValuePath[]
}

/** Values in the order of the paths, null where there is nothing; strings as they are, anything else as JSON text. */
export interface RunValues {
  runs: { id: string; values: ({ text: string; is_cut: boolean } | null)[] }[]
}
