import { z } from 'zod'
import { datasetId } from '../datasets/datasets.ts'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { describeRoutes } from '../wire/route.ts'

/** Result of the comparison of one key; `better` and `worse` consider keys whose lower scores are better. */
export const VERDICTS = ['better', 'worse', 'no difference shown', 'not enough data'] as const
export const Verdict = z.enum(VERDICTS)
export type Verdict = z.infer<typeof Verdict>

/**
 * Experiments to compare with a baseline. Examples that both scored are paired; repetitions are averaged first.
 * `docs/guides/statistics.md` defines every figure.
 */
export const ExperimentStatisticsQuery = z.object({
  baseline_session_id: Uuid,
  comparison_session_ids: z
    .array(Uuid)
    .min(1)
    .max(10)
    .transform((ids) => [...new Set(ids)]),
  /** @default every key with scores in the baseline and in another experiment, 100 at most */
  feedback_keys: z.array(z.string().min(1).max(180)).min(1).max(100).nullish(),
  /** Only these examples. */
  example_ids: z.array(Uuid).max(10_000).nullish(),
  /** Scores of this pair instead of ordinary ones. */
  comparative_experiment_id: Uuid.nullish(),
  /** Confidence of the intervals; 1 minus it is the accepted risk of reporting a difference that is due to chance. */
  confidence: z.number().min(0.5).max(0.999).default(0.95),
  /** Power of the minimum detectable effect. */
  power: z.number().min(0.5).max(0.99).default(0.8),
  /** Bootstrap samples per interval. */
  resamples: z.int().min(200).max(10_000).default(2000),
  /** The same seed and scores give the same intervals. */
  seed: z
    .int()
    .min(0)
    .max(2 ** 32 - 1)
    .default(0),
})
export type ExperimentStatisticsQuery = z.output<typeof ExperimentStatisticsQuery>

const figure = z.number().nullable()

/** One side of a comparison with its own scores; `mean` is over the paired examples. */
export const ScoredSide = z.object({
  /** Examples with a score. */
  example_count: z.int(),
  /** Scores, with repetitions counted separately. */
  score_count: z.int(),
  mean: figure,
  /** Variance between repetitions of one example, pooled; null without repetitions. */
  variance_within: figure,
  /** Variance between examples, without the part of repetitions; null below two examples or without repetitions. */
  variance_between: figure,
  /** Share of the variance between examples, 0 to 1 (intraclass correlation). */
  reliability: figure,
})
export type ScoredSide = z.infer<typeof ScoredSide>

export const SignificanceTest = z.object({
  /** t, the smaller rank sum W, or the number of examples that only the comparison won, by test. */
  statistic: figure,
  /** Two-sided. */
  p_value: z.number(),
  /** How p was computed. */
  method: z.enum(['exact', 'approximate']),
})
export type SignificanceTest = z.infer<typeof SignificanceTest>

/**
 * Baseline and one experiment for one feedback key. Differences are comparison minus baseline, in the unit of the
 * score.
 */
export const KeyComparison = z.object({
  session_id: z.string(),
  feedback_key: z.string(),
  is_lower_score_better: z.boolean(),
  /** Whether every score of the paired examples is 0 or 1 on both sides, in each repetition. */
  is_binary: z.boolean(),
  /** Examples scored by both. */
  pair_count: z.int(),
  /** Examples scored by only one of them; they are left out. */
  only_baseline_count: z.int(),
  only_comparison_count: z.int(),
  baseline: ScoredSide,
  comparison: ScoredSide,
  /** Examples with a better, worse or equal score in the comparison. */
  wins: z.int(),
  losses: z.int(),
  ties: z.int(),
  difference: z.object({
    mean: figure,
    /** Standard deviation of the paired differences. */
    standard_deviation: figure,
    standard_error: figure,
    /** Bootstrap interval of the mean; null below two pairs. */
    interval: z
      .object({ low: z.number(), high: z.number(), confidence: z.number(), method: z.enum(['bca', 'percentile']) })
      .nullable(),
    /** Mean over standard deviation (Cohen's d of paired differences). */
    effect_size: figure,
  }),
  tests: z.object({
    paired_t: SignificanceTest.nullable(),
    wilcoxon: SignificanceTest.nullable(),
    /** Exact McNemar test; binary scores only. */
    mcnemar: SignificanceTest.nullable(),
  }),
  /** The test that decides the verdict. */
  decided_by: z.enum(['paired_t', 'wilcoxon', 'mcnemar']).nullable(),
  p_value: figure,
  /** p after Holm's correction over all comparisons of the answer. */
  p_value_adjusted: figure,
  /** The smallest mean difference that a study of this size detects with the requested power. */
  minimum_detectable_effect: figure,
  verdict: Verdict,
  /** Explanation of the verdict in one sentence. */
  reason: z.string(),
})
export type KeyComparison = z.infer<typeof KeyComparison>

export const ExperimentStatistics = z.object({
  dataset_id: z.string(),
  baseline: z.object({ id: z.string(), name: z.string() }),
  comparisons: z.array(z.object({ id: z.string(), name: z.string() })),
  confidence: z.number(),
  power: z.number(),
  resamples: z.int(),
  seed: z.int(),
  correction: z.literal('holm'),
  /** Sorted by key, then in the order of the requested sessions. */
  results: z.array(KeyComparison),
  /** Keys left out because there were more than 100. */
  omitted_keys: z.array(z.string()),
})
export type ExperimentStatistics = z.infer<typeof ExperimentStatistics>

export const experimentStatisticsRoutes = describeRoutes(routes.experimentStatistics, 'experiments', {
  compare: {
    extension: true,
    summary:
      'Whether experiments score better than a baseline on the same examples, with intervals, tests and a verdict',
    params: datasetId,
    body: ExperimentStatisticsQuery,
    answer: ExperimentStatistics,
  },
})
