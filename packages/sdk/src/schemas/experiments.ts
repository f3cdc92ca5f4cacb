import type { Feedback, FeedbackStat, KVMap, Run, ScoreType, TracerSessionResult, ValueType } from '../schemas.ts'
import type { Example } from './datasets.ts'

/** Experiments over one dataset that evaluators compared with each other. */
export interface ComparativeExperiment {
  id: string
  name: string | null
  description: string | null
  tenant_id: string
  reference_dataset_id: string
  created_at: string
  modified_at: string
  extra?: KVMap | null | undefined
  /** In lists only. */
  experiments_info?: { id: string; name: string }[] | undefined
  /** Feedback key → experiment id → records and their mean. In lists only. */
  feedback_stats?: Record<string, Record<string, { n: number; avg: number | null }>> | undefined
}

/** A run of an experiment with the records behind its `feedback_stats`, oldest first. */
export interface ExperimentRun extends Run {
  feedbacks: Feedback[]
}

/** Runs are in the order of the experiments asked for, then of their start; repetitions are several runs. */
export interface ExampleWithRuns extends Example {
  runs: ExperimentRun[]
}

/** Body of `POST /datasets/{id}/runs`. */
export interface ExperimentRunsQuery {
  session_ids: string[]
  offset?: number | undefined
  /** At most 100. @default 10 */
  limit?: number | undefined
  /** First characters of inputs and outputs instead of all. */
  preview?: boolean | undefined
  sort_params?: { sort_by: string; sort_order?: 'ASC' | 'DESC' | undefined } | undefined
  /** Run filters by experiment; only examples with a matching run in each. */
  filters?: Record<string, string[]> | undefined
  example_ids?: string[] | undefined
  comparative_experiment_id?: string | undefined
}

/** Figures over runs. Latencies are seconds; costs are decimal text in US dollars, null when no price is known. */
export interface RunGroupStats {
  count: number
  total_tokens: number
  prompt_tokens: number
  completion_tokens: number
  total_cost: string | null
  prompt_cost: string | null
  completion_cost: string | null
  error_rate: number | null
  latency_p50: number | null
  latency_p99: number | null
  min_start_time: string | null
  max_start_time: string | null
  feedback_stats: Record<string, FeedbackStat>
}

/** Body of `POST /datasets/{id}/group/runs`. */
export interface GroupedRunsQuery extends ExperimentRunsQuery {
  group_by: 'run_metadata' | 'example_metadata'
  metadata_key: string
  /** Examples in each group, at most 10. @default 5 */
  per_group_limit?: number | undefined
}

/** Examples that share a value of metadata. `count` counts runs. */
export interface ExampleGroup extends RunGroupStats {
  group_key: string
  /** Selects the group's runs, or its examples. */
  filter: string
  sessions: (RunGroupStats & { id: string; name: string })[]
  examples: ExampleWithRuns[]
  example_count: number
}

/** Examples whose mean score is better or worse than in the baseline; equal and missing are neither. */
export interface FeedbackDelta {
  improved_examples: string[]
  regressed_examples: string[]
}

export type Verdict = 'better' | 'worse' | 'no difference shown' | 'not enough data'

/** Body of `POST /datasets/{id}/experiments/statistics`. */
export interface ExperimentStatisticsQuery {
  baseline_session_id: string
  comparison_session_ids: string[]
  /** @default every key with scores in the baseline and in another experiment */
  feedback_keys?: string[] | undefined
  example_ids?: string[] | undefined
  comparative_experiment_id?: string | undefined
  /** Of the intervals. @default 0.95 */
  confidence?: number | undefined
  /** Of the minimum detectable effect. @default 0.8 */
  power?: number | undefined
  /** Drawn for each interval. @default 2000 */
  resamples?: number | undefined
  /** The same seed and scores give the same intervals. @default 0 */
  seed?: number | undefined
}

/** One side of a comparison; `mean` is over the paired examples. */
export interface ScoredSide {
  example_count: number
  score_count: number
  mean: number | null
  variance_within: number | null
  variance_between: number | null
  reliability: number | null
}

export interface SignificanceTest {
  statistic: number | null
  /** Two-sided. */
  p_value: number
  method: 'exact' | 'approximate'
}

/** Baseline and one experiment on one feedback key. Differences are comparison minus baseline, in the unit of the score. */
export interface KeyComparison {
  session_id: string
  feedback_key: string
  is_lower_score_better: boolean
  is_binary: boolean
  /** Examples scored in both. */
  pair_count: number
  only_baseline_count: number
  only_comparison_count: number
  baseline: ScoredSide
  comparison: ScoredSide
  wins: number
  losses: number
  ties: number
  difference: {
    mean: number | null
    standard_deviation: number | null
    standard_error: number | null
    interval: { low: number; high: number; confidence: number; method: 'bca' | 'percentile' } | null
    effect_size: number | null
  }
  tests: {
    paired_t: SignificanceTest | null
    wilcoxon: SignificanceTest | null
    mcnemar: SignificanceTest | null
  }
  decided_by: 'paired_t' | 'wilcoxon' | 'mcnemar' | null
  p_value: number | null
  /** The same after Holm's correction over all comparisons of the answer. */
  p_value_adjusted: number | null
  /** The smallest mean difference that a study of this size finds with the power asked for. */
  minimum_detectable_effect: number | null
  verdict: Verdict
  reason: string
}

export interface ExperimentStatistics {
  dataset_id: string
  baseline: { id: string; name: string }
  comparisons: { id: string; name: string }[]
  confidence: number
  power: number
  resamples: number
  seed: number
  correction: 'holm'
  results: KeyComparison[]
  omitted_keys: string[]
}

/** How far an experiment got. */
export interface ExperimentProgress {
  expected_run_count: number
  /** 0–1. */
  run_progress: number
  /** By feedback key. */
  evaluator_progress: Record<string, number>
}

/** Body of `POST /datasets/{id}/experiments/grouped`. */
export interface GroupedExperimentsQuery {
  /** 1–4 keys of the experiments' metadata. */
  metadata_keys: string[]
  /** Compared as an instant where it is one. */
  dataset_version?: string | undefined
  /** At most 1,000. @default 1000 */
  experiment_limit?: number | undefined
  filter?: string | undefined
  name_contains?: string | undefined
  /** Figures count only runs that started then or later. */
  stats_start_time?: string | undefined
}

/** Experiments that share the values of all keys; a key that an experiment lacks is null in `group_key`. */
export interface ExperimentGroup {
  group_key: Record<string, unknown>
  session_count: number
  run_count: number
  feedback_stats: Record<string, FeedbackStat>
  latency_p50: number | null
  latency_p99: number | null
  error_rate: number | null
  total_tokens: number
  total_cost: string | null
  min_start_time: string | null
  max_start_time: string | null
  sessions: TracerSessionResult[]
}

/** A score that was given where the experiment ran. */
export interface UploadedScore {
  key: string
  score?: ScoreType | undefined
  value?: ValueType | undefined
  comment?: string | null | undefined
  correction?: object | string | null | undefined
}

/** One row of an experiment that ran elsewhere. */
export interface UploadedResult {
  /** Id of the example; without one, the row is the example with equal inputs. */
  row_id?: string | undefined
  inputs: KVMap
  expected_outputs?: KVMap | null | undefined
  actual_outputs?: KVMap | null | undefined
  evaluation_scores?: UploadedScore[] | undefined
  start_time: string
  end_time: string
  run_name?: string | undefined
  error?: string | null | undefined
  run_metadata?: KVMap | null | undefined
}

/** An experiment that ran elsewhere. A dataset that is unknown is created; one that exists must have come this way too. */
export interface ExperimentUpload {
  experiment_name: string
  experiment_description?: string | undefined
  experiment_metadata?: KVMap | undefined
  experiment_start_time: string
  experiment_end_time: string
  /** One of the two. */
  dataset_id?: string | undefined
  dataset_name?: string | undefined
  dataset_description?: string | undefined
  results: UploadedResult[]
  /** On the experiment as a whole. */
  summary_experiment_scores?: UploadedScore[] | undefined
}

/** How a column of a comparison is shown. */
export interface ColumnOverride {
  /** `inputs`, `outputs`, `reference_outputs`, `feedback`, `metrics`, `attachments` or `metadata`, alone or with a path. */
  column: string
  color_gradient?: [number, string][] | null | undefined
  color_map?: Record<string, string> | null | undefined
  disable_colors?: boolean | null | undefined
  hide?: boolean | null | undefined
  /** Digits after the point, 1–6. */
  precision?: number | null | undefined
}

export interface ExperimentViewOverride {
  id: string
  dataset_id: string
  column_overrides: ColumnOverride[]
  created_at: string
  modified_at: string
}
