import type { Attachments, FeedbackStat, KVMap, RunStatus, RunType, SignedUrl } from '../schemas.ts'
import type { AgentAddress } from '../tracing/address.ts'

/** One recorded step. Tokens and costs are those of its whole subtree. */
export interface Run {
  id: string
  name: string
  run_type: RunType
  status: RunStatus
  trace_id: string
  session_id: string
  dotted_order: string
  app_path: string
  start_time: string
  end_time?: string | null | undefined
  first_token_time?: string | null | undefined
  parent_run_id?: string | null | undefined
  parent_run_ids?: string[] | null | undefined
  child_run_ids?: string[] | null | undefined
  direct_child_run_ids?: string[] | null | undefined
  /** Filled by `readRun` with `loadChildRuns`. */
  child_runs?: Run[] | undefined
  /** Absent when a `select` leaves it out, as any payload is. */
  inputs: KVMap
  inputs_preview?: string | null | undefined
  outputs?: KVMap | null | undefined
  outputs_preview?: string | null | undefined
  error?: string | null | undefined
  error_preview?: string | null | undefined
  extra?: KVMap | null | undefined
  events?: KVMap[] | null | undefined
  serialized?: KVMap | null | undefined
  tags?: string[] | null | undefined
  thread_id?: string | null | undefined
  execution_order?: number | undefined
  reference_example_id?: string | null | undefined
  reference_dataset_id?: string | null | undefined
  total_tokens?: number | undefined
  prompt_tokens?: number | undefined
  completion_tokens?: number | undefined
  prompt_token_details?: Record<string, number> | null | undefined
  completion_token_details?: Record<string, number> | null | undefined
  total_cost?: string | null | undefined
  prompt_cost?: string | null | undefined
  completion_cost?: string | null | undefined
  prompt_cost_details?: Record<string, string> | null | undefined
  completion_cost_details?: Record<string, string> | null | undefined
  price_model_id?: string | null | undefined
  feedback_stats?: Record<string, FeedbackStat> | null | undefined
  in_dataset?: boolean | null | undefined
  share_token?: string | null | undefined
  messages?: KVMap[] | null | undefined
  /** Attachments, by `attachment.{name}`. */
  s3_urls?: Record<string, SignedUrl> | null | undefined
  inputs_s3_urls?: null | undefined
  outputs_s3_urls?: null | undefined
  manifest_id?: string | null | undefined
  manifest_s3_id?: string | null | undefined
  trace_tier?: string | null | undefined
  trace_upgrade?: boolean | null | undefined
  ttl_seconds?: number | null | undefined
  trace_first_received_at?: string | null | undefined
  trace_min_start_time?: string | null | undefined
  trace_max_start_time?: string | null | undefined
  last_queued_at?: string | null | undefined
  inserted_at?: string | null | undefined
}

/** Fields that every write of a run may carry. */
export interface BaseRun {
  id?: string | undefined
  name?: string | undefined
  /** Usually one of `RunType`; others are stored as `chain`. */
  run_type?: string | undefined
  /** ISO text or epoch milliseconds. */
  start_time?: string | number | undefined
  end_time?: string | number | undefined
  inputs?: KVMap | undefined
  outputs?: KVMap | undefined
  error?: string | undefined
  /** `{ metadata, runtime, … }` */
  extra?: KVMap | undefined
  serialized?: object | undefined
  events?: KVMap[] | undefined
  tags?: string[] | undefined
  trace_id?: string | undefined
  dotted_order?: string | undefined
  parent_run_id?: string | undefined
  reference_example_id?: string | undefined
  attachments?: Attachments | undefined
  session_id?: string | undefined
  session_name?: string | undefined
}

export interface RunCreate extends BaseRun {
  name: string
  run_type: string
  inputs: KVMap
  project_name?: string | undefined
  revision_id?: string | undefined
  /** Names the project of an agent's environment in place of a project. */
  address?: AgentAddress | undefined
  child_runs?: RunCreate[] | undefined
}

/** What is left out stays as it is. */
export interface RunUpdate extends BaseRun {
  project_name?: string | undefined
  /** Names the project of an agent's environment in place of a project. */
  address?: AgentAddress | undefined
}

/** Body of `POST /runs/query`; fields combine with AND. */
export interface RunQuery {
  id?: string[] | undefined
  session?: string[] | undefined
  trace?: string | undefined
  parent_run?: string | undefined
  run_type?: string | undefined
  is_root?: boolean | undefined
  reference_example?: string[] | undefined
  execution_order?: number | undefined
  /** Bounds of the start time, inclusive. */
  start_time?: string | undefined
  end_time?: string | undefined
  error?: boolean | undefined
  /** Full text. */
  query?: string | undefined
  filter?: string | undefined
  trace_filter?: string | undefined
  tree_filter?: string | undefined
  search_filter?: string | undefined
  select?: string[] | undefined
  /** Runs per page, at most 100; not applied to a query by `trace`. */
  limit?: number | undefined
  cursor?: string | undefined
  order?: 'asc' | 'desc' | undefined
  skip_pagination?: boolean | undefined
}

export interface RunPage {
  runs: Run[]
  cursors: { next: string | null; prev: string | null }
}

/** A run without its payload. Tokens and costs are the run's own; sizes are bytes of the stored JSON. */
export interface SpineRun {
  id: string
  parent_run_id: string | null
  name: string
  run_type: RunType
  status: RunStatus
  start_time: string
  end_time: string | null
  first_token_time: string | null
  dotted_order: string
  session_id: string
  error_preview: string | null
  model: string | null
  tags: string[]
  prompt_tokens: number | null
  completion_tokens: number | null
  total_tokens: number | null
  total_cost: string | null
  inputs_bytes: number
  outputs_bytes: number
}

/** Every run of one trace, parents before children, oldest first; never cut. */
export interface TraceSpine {
  trace_id: string
  session_id: string
  total: number
  /** Changes whenever a run of the trace does. */
  version: string
  runs: SpineRun[]
}

/** What an id stands for, and the page that shows it. */
export interface Resolved {
  kind: 'run' | 'project'
  id: string
  name: string
  app_path: string
}

type MetadataScalar = string | number | boolean

/** Traces of a project, or every trace in which a run has all of the metadata. */
export type RunDeletion =
  | { session_id: string; trace_ids: string[] }
  | { session_id?: string | undefined; metadata: Record<string, MetadataScalar | MetadataScalar[]> }
