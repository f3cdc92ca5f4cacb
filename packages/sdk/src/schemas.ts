/**
 * What travels, written by hand so that the published types need no other package; `schemas.test-d.ts` holds them to the
 * contract. Times are ISO 8601 UTC with six fractional digits; costs are decimal strings in US dollars, null when unknown.
 */

import type { ExperimentProgress } from './schemas/experiments.ts'
import type { Role } from './schemas/people.ts'

export type * from './schemas/annotation-queues.ts'
export type * from './schemas/bulk-jobs.ts'
export type * from './schemas/dashboards.ts'
export type * from './schemas/datasets.ts'
export type * from './schemas/experiments.ts'
export type * from './schemas/people.ts'
export type * from './schemas/prompts.ts'
export type * from './schemas/saved-views.ts'

/** A user's own payload. `any`, as in the public package: code that reads `run.outputs.answer` must keep compiling. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type KVMap = Record<string, any>

export type RunType = 'tool' | 'chain' | 'llm' | 'retriever' | 'embedding' | 'prompt' | 'parser'
export type RunStatus = 'success' | 'error' | 'pending' | 'interrupted'

/** `[mime type, bytes]`, or the same with names. */
export type AttachmentData = Uint8Array | ArrayBuffer
export type AttachmentDescription = { mimeType: string; data: AttachmentData }
export type Attachments = Record<string, [string, AttachmentData] | AttachmentDescription>

export interface SignedUrl {
  presigned_url: string
  mime_type: string | null
  s3_url: null
}

/** Figures over numeric scores are null when there are none. */
export interface FeedbackStat {
  n: number
  avg: number | null
  min?: number | null | undefined
  max?: number | null | undefined
  /** Of the sample; null below two scores. */
  stdev?: number | null | undefined
  /** How often the evaluator failed. */
  errors?: number | undefined
  /** How often each label was given; the 100 most frequent. */
  values?: Record<string, number> | undefined
  comments?: string[] | undefined
  sources?: string[] | undefined
  contains_thread_feedback?: boolean | undefined
}

/** Others are kept as they are. */
export type FeedbackSourceType = 'model' | 'api' | 'app' | 'auto_eval'
/** A boolean counts as 1 or 0. */
export type ScoreType = number | boolean | null
export type ValueType = number | boolean | string | object | null

export interface FeedbackSourceBase {
  type: string
  metadata?: KVMap | null | undefined
  user_id?: string | null | undefined
  user_name?: string | null | undefined
}

/** Feedback on a run, or, with `run_id` null, on a project. Project, trace and start are the run's, once it arrived. */
export interface Feedback {
  id: string
  run_id: string | null
  key: string
  score?: ScoreType | undefined
  value?: ValueType | undefined
  comment?: string | null | undefined
  correction?: string | object | null | undefined
  feedback_source?: FeedbackSourceBase | null | undefined
  /** Absent from what `createFeedback` returns, which was built before it was sent. */
  created_at?: string | undefined
  modified_at?: string | undefined
  trace_id?: string | null | undefined
  session_id?: string | null | undefined
  start_time?: string | number | null | undefined
  is_root?: boolean | undefined
  feedback_config?: FeedbackConfig | null | undefined
  comparative_experiment_id?: string | null | undefined
  feedback_group_id?: string | null | undefined
  feedback_thread_id?: string | null | undefined
  error?: boolean | null | undefined
  extra?: KVMap | null | undefined
}

/** Query of `GET /feedback`; conditions combine with AND, the items of one list with OR. */
export interface FeedbackQuery {
  run?: string[] | undefined
  key?: string[] | undefined
  source?: FeedbackSourceType[] | undefined
  session?: string[] | undefined
  user?: string[] | undefined
  has_comment?: boolean | undefined
  has_score?: boolean | undefined
  level?: 'run' | 'session' | undefined
  comparative_experiment_id?: string | undefined
  feedback_thread_id?: string | undefined
  min_created_at?: string | undefined
  max_created_at?: string | undefined
  include_user_names?: boolean | undefined
  offset?: number | undefined
  limit?: number | undefined
}

export interface FeedbackCategory {
  value: number
  label?: string | null | undefined
}

/** What the scores of a key mean. */
export interface FeedbackConfig {
  type: 'continuous' | 'categorical' | 'freeform'
  min?: number | null | undefined
  max?: number | null | undefined
  categories?: FeedbackCategory[] | null | undefined
}

export interface FeedbackConfigSchema {
  feedback_key: string
  feedback_config: FeedbackConfig
  tenant_id: string
  modified_at: string
  is_lower_score_better?: boolean | null | undefined
}

/** How often a key was given, on runs and on projects. */
export interface FeedbackKeyUsage {
  feedback_key: string
  feedback_count: number
  last_given_at: string
}

/** A URL by which anyone can give feedback of one key on one run, until it expires. */
export interface FeedbackIngestToken {
  id: string
  url: string
  expires_at: string
  feedback_key?: string | undefined
}

export interface TimeDelta {
  days?: number | undefined
  hours?: number | undefined
  minutes?: number | undefined
}

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
  child_runs?: RunCreate[] | undefined
}

/** What is left out stays as it is. */
export interface RunUpdate extends BaseRun {
  project_name?: string | undefined
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

/** A run that anyone who holds the token may read, with everything below it. */
export interface RunShare {
  run_id: string
  share_token: string
}

/** One thing of the workspace that is open to the public. */
export type SharedEntity = SharedRunEntity | SharedDatasetEntity

export interface SharedDatasetEntity {
  type: 'dataset'
  share_token: string
  created_at: string
  dataset_id: string
  dataset_name: string
  /** Whether its experiments are open too. */
  shares_projects: boolean
}

export interface SharedRunEntity {
  type: 'run'
  share_token: string
  created_at: string
  run_id: string
  run_name: string
  run_type: string
  session_id: string
  session_name: string
}

/** What an id stands for, and the page that shows it. */
export interface Resolved {
  kind: 'run' | 'project'
  id: string
  name: string
  app_path: string
}

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

type MetadataScalar = string | number | boolean

/** Traces of a project, or every trace in which a run has all of the metadata. */
export type RunDeletion =
  | { session_id: string; trace_ids: string[] }
  | { session_id?: string | undefined; metadata: Record<string, MetadataScalar | MetadataScalar[]> }

/** The traces of one conversation with their figures. */
export interface Thread {
  thread_id: string
  group_key?: string | undefined
  /** Finds its runs. */
  filter: string
  count: number
  total_tokens: number
  total_cost: number | null
  min_start_time: string
  max_start_time: string
  latency_p50: number | null
  latency_p99: number | null
  feedback_stats: Record<string, FeedbackStat> | null
  first_inputs: string | null
  last_outputs: string | null
  last_error: string | null
}

/** Which threads of a project. Times are ISO 8601. */
export interface ThreadQuery {
  project_id: string
  /** Inclusive. @default a day ago */
  min_start_time?: string | null | undefined
  /** Exclusive. @default no bound */
  max_start_time?: string | null | undefined
  /** Which traces are counted, by their roots. */
  filter?: string | null | undefined
  /** Keeps threads by their figures, e.g. `gt(num_errored_turns, 0)`. */
  thread_filter?: string | null | undefined
  /** Keeps threads with a trace whose root matches. */
  trace_filter?: string | null | undefined
  /** Keeps threads with a trace of which some run matches. */
  tree_filter?: string | null | undefined
  /** At most 100. @default 20 */
  page_size?: number | undefined
  cursor?: string | null | undefined
}

/** The traces of one conversation within the window of a query. Latencies are seconds, costs US dollars of all runs. */
export interface ThreadSummary {
  thread_id: string
  /** Traces. */
  count: number
  /** The last trace; so is `last_trace_id`. */
  trace_id: string
  first_trace_id: string
  last_trace_id: string
  /** Start of the last trace; so is `max_start_time`. */
  start_time: string
  min_start_time: string
  max_start_time: string
  /** Null while no trace has ended. */
  max_end_time: string | null
  latency_p50: number | null
  latency_p99: number | null
  num_errored_turns: number
  total_tokens: number
  /** Null when no price is known. */
  total_cost: number | null
  total_token_details: Record<string, number>
  total_cost_details: Record<string, number>
  /** Previews of what was said first and last. */
  first_inputs: string
  last_outputs: string
  last_error?: string | undefined
  feedback_stats: Record<string, FeedbackStat>
}

export interface ThreadSummaryPage {
  items: ThreadSummary[]
  next_cursor?: string | undefined
}

export interface ListThreadsItem extends Thread {
  runs: Run[]
}

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

export interface ServerInfo {
  version: string
  git_sha: string | null
  license_expiration_time: string | null
  customer_info: unknown
  batch_ingest_config: {
    use_multipart_endpoint: boolean
    size_limit: number
    size_limit_bytes: number
    scale_up_qsize_trigger: number
    scale_up_nthreads_limit: number
    scale_down_nempty_trigger: number
  }
  instance_flags: Record<string, boolean | number | string>
}

/** The caller's workspace. */
export interface WorkspaceSettings {
  id: string
  display_name: string
  created_at: string
  tenant_handle: string | null
}

export interface Workspace {
  id: string
  organization_id: string
  created_at: string
  display_name: string
  is_personal: boolean
  is_deleted: boolean
  tenant_handle: string | null
  data_plane_url: string | null
  read_only: boolean
  role_id: string | null
  role_name: string
  permissions: string[]
}

export interface ApiKey {
  id: string
  /** First and last characters, enough to recognise it. */
  short_key: string
  description: string
  created_at: string
  /** Whether its role is `viewer`. */
  read_only: boolean
  role: Role
  /** Id of the person or key that made it. */
  created_by: string | null
  created_by_name: string | null
  last_used_at: string | null
  expires_at: string | null
}

/** The only answer that shows the secret. */
export interface NewApiKey extends ApiKey {
  key: string
}

/** Prices are US dollars per token. */
export interface ModelPriceWrite {
  name: string
  /** Regular expression on the model's name. */
  match_pattern: string
  match_path?: string[] | undefined
  /** Equals the run's `ls_provider`; null fits every provider. */
  provider?: string | null | undefined
  /** First moment at which the price holds; null means always. */
  start_time?: string | null | undefined
  prompt_cost: number | string
  completion_cost: number | string
  prompt_cost_details?: Record<string, number | string> | null | undefined
  completion_cost_details?: Record<string, number | string> | null | undefined
}

export interface ModelPrice {
  id: string
  name: string
  match_pattern: string
  match_path: string[]
  provider: string | null
  start_time: string | null
  prompt_cost: string
  completion_cost: string
  prompt_cost_details: Record<string, string> | null
  completion_cost_details: Record<string, string> | null
  built_in: boolean
  source: string | null
}

/** Tokens and costs are those of the runs that used them, counted once; the cost is null where none is known. */
export interface UsageFigures {
  trace_count: number
  run_count: number
  /** Of inputs and outputs, as they came. */
  payload_bytes: number
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  total_cost: string | null
}

export interface UsageReport {
  /** First day, in UTC. */
  since: string
  total: UsageFigures
  /** Every day of the window, in order, those without runs too. */
  days: (UsageFigures & { day: string })[]
  /** Projects with runs in the window, most bytes first. */
  projects: (UsageFigures & { session_id: string; session_name: string })[]
}

/** How many traces of each project began in each part of a window, oldest part first; projects without any are absent. */
export interface ProjectActivity {
  since: string
  bucket_seconds: number
  projects: { session_id: string; trace_counts: number[] }[]
}

/** Days traces are kept after their newest run began; 0 is for ever. */
export interface WorkspaceRetention {
  /** For projects that say nothing themselves; experiments are never meant. */
  days: number
  projects: { session_id: string; days: number }[]
}

export interface ProjectRetention {
  /** What the project says itself; null where the workspace decides. */
  days: number | null
  /** What holds. */
  effective_days: number
  /** Traces whose newest run began before this are removed; null when all are kept. */
  removes_before: string | null
}

/** What a retention would remove if it held now. */
export interface RetentionEstimate {
  days: number
  removes_before: string | null
  trace_count: number
  run_count: number
  /** Old enough, and kept nevertheless: shared with the public, or in an annotation queue. */
  kept_trace_count: number
  project_count: number
}

/** A model as runs name it. */
export interface ModelPriceTest {
  model: string
  provider?: string | null | undefined
  /** When the run starts; now when absent. */
  start_time?: string | null | undefined
}

export interface ModelPriceTestAnswer {
  /** What a run of that model would be priced with; null when nothing fits. */
  price: ModelPrice | null
  /** Other prices that fit the model: less specific ones, and ones that hold at another time. */
  others: ModelPrice[]
}

/** A model whose runs used tokens and cost nobody knows how much. */
export interface UnpricedModel {
  model: string
  provider: string | null
  run_count: number
  prompt_tokens: number
  completion_tokens: number
  last_seen_at: string
  /** The price that its next run would get, when one was added since. */
  price_now: ModelPrice | null
}

/** Token counts as a run's outputs or metadata carry them; cached and reasoning tokens are included in the totals. */
export interface UsageMetadata {
  input_tokens: number
  output_tokens: number
  total_tokens: number
  input_token_details?: Record<string, number> | undefined
  output_token_details?: Record<string, number> | undefined
  input_cost?: number | undefined
  output_cost?: number | undefined
  total_cost?: number | undefined
  input_cost_details?: Record<string, number> | undefined
  output_cost_details?: Record<string, number> | undefined
}

/** What a retriever run should output. */
export type RetrieverOutput = { page_content: string; type: 'Document'; metadata?: KVMap | undefined }[]

/** What `getInvocationParams` returns; read by cost computation and the run page. */
export interface InvocationParamsSchema {
  ls_model_type: 'chat' | 'llm'
  ls_provider?: string | undefined
  ls_model_name?: string | undefined
  ls_temperature?: number | undefined
  ls_max_tokens?: number | undefined
  ls_stop?: string[] | undefined
  ls_invocation_params?: KVMap | undefined
}
