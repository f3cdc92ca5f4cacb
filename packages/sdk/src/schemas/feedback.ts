import type { KVMap } from '../schemas.ts'

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
  /** Whether one record may name several categories. For categorical configs only. */
  allows_multiple_categories?: boolean | null | undefined
}

export interface FeedbackConfigSchema {
  id?: string | null | undefined
  feedback_key: string
  feedback_config: FeedbackConfig
  tenant_id: string
  modified_at: string
  is_lower_score_better?: boolean | null | undefined
  /** Whether an admin made it the config that counts for the key. */
  is_enforced?: boolean | undefined
  /** Whether the key had no config before it. */
  is_first?: boolean | undefined
  is_deleted?: boolean | undefined
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
