import type { Feedback, FeedbackStat, KVMap, Run } from '../schemas.ts'
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
