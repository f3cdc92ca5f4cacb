import type { ExperimentProgress, FeedbackStat, KVMap } from '../schemas.ts'

/** A project. */
export interface TracerSession {
  id: string
  tenant_id: string
  name: string
  description: string | null
  start_time: string
  end_time: string | null
  extra: KVMap | null
  reference_dataset_id: string | null
  default_dataset_id: string | null
  trace_tier: string | null
  last_run_start_time_live: string | null
}

/** A project with its figures: null unless statistics were asked for. Latencies are seconds, rates 0–1. */
export interface TracerSessionResult extends TracerSession {
  run_count?: number | null | undefined
  latency_p50?: number | null | undefined
  latency_p99?: number | null | undefined
  first_token_p50?: number | null | undefined
  first_token_p99?: number | null | undefined
  total_tokens?: number | null | undefined
  prompt_tokens?: number | null | undefined
  completion_tokens?: number | null | undefined
  total_cost?: string | null | undefined
  prompt_cost?: string | null | undefined
  completion_cost?: string | null | undefined
  last_run_start_time?: string | null | undefined
  feedback_stats?: Record<string, FeedbackStat> | null | undefined
  session_feedback_stats?: Record<string, FeedbackStat> | null | undefined
  run_facets?: KVMap[] | null | undefined
  error_rate?: number | null | undefined
  streaming_rate?: number | null | undefined
  test_run_number?: number | null | undefined
  /** How far an experiment got, 0–1, when it said how much there is to do. */
  experiment_progress?: ExperimentProgress | null | undefined
}

export type ProjectSort =
  | 'name'
  | 'start_time'
  | 'last_run_start_time'
  | 'latency_p50'
  | 'latency_p99'
  | 'error_rate'
  | 'feedback'
  | 'runs_count'

/** Query of `GET /sessions`. */
export interface ProjectQuery {
  id?: string[] | undefined
  name?: string | undefined
  name_contains?: string | undefined
  reference_dataset?: string[] | undefined
  reference_free?: boolean | undefined
  /** Projects whose `extra.metadata` contains it. */
  metadata?: KVMap | undefined
  dataset_version?: string | undefined
  filter?: string | undefined
  sort_by?: ProjectSort | undefined
  sort_by_desc?: boolean | undefined
  sort_by_feedback_key?: string | undefined
  sort_by_feedback_source?: 'session' | 'run' | undefined
  include_stats?: boolean | undefined
  facets?: boolean | undefined
  use_approx_stats?: boolean | undefined
  stats_start_time?: string | undefined
  stats_select?: string[] | undefined
  stats_filter?: string | undefined
  tag_value_id?: string[] | undefined
  offset?: number | undefined
  limit?: number | undefined
}
