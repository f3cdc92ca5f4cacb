import { z } from 'zod'
import { datasetId } from './datasets.ts'
import { Uuid } from './ids.ts'
import { describeRoutes } from './route.ts'
import * as routes from './routes.ts'

/** What a comparison of one key comes to; `better` and `worse` honour keys whose lower scores are better. */
export const VERDICTS = ['better', 'worse', 'no difference shown', 'not enough data'] as const
export const Verdict = z.enum(VERDICTS)
export type Verdict = z.infer<typeof Verdict>

/**
 * Which experiments to compare with a baseline. The examples that both scored are paired; repetitions are averaged first.
 * The method of every figure is described in `docs/guides/statistics.md`.
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
  /** Of the intervals; the rest to 1 is the risk of calling chance a difference. */
  confidence: z.number().min(0.5).max(0.999).default(0.95),
  /** Of the minimum detectable effect. */
  power: z.number().min(0.5).max(0.99).default(0.8),
  /** Drawn for each interval. */
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

/** One side of a comparison, over its own scores; `mean` is over the paired examples. */
export const ScoredSide = z.object({
  /** Examples with a score. */
  example_count: z.int(),
  /** Scores, repetitions counted apart. */
  score_count: z.int(),
  mean: figure,
  /** Between repetitions of one example: pooled; null without repetitions. */
  variance_within: figure,
  /** Between examples, without what repetitions add; null below two examples or without repetitions. */
  variance_between: figure,
  /** Share of the variance that lies between examples, 0 to 1 (intraclass correlation). */
  reliability: figure,
})
export type ScoredSide = z.infer<typeof ScoredSide>

export const SignificanceTest = z.object({
  /** t, the smaller rank sum W, or the count of examples that only the comparison won; as the name of the test says. */
  statistic: figure,
  /** Two-sided. */
  p_value: z.number(),
  /** How p was found. */
  method: z.enum(['exact', 'approximate']),
})
export type SignificanceTest = z.infer<typeof SignificanceTest>

/** Baseline and one experiment on one feedback key. Differences are comparison minus baseline, in the unit of the score. */
export const KeyComparison = z.object({
  session_id: z.string(),
  feedback_key: z.string(),
  is_lower_score_better: z.boolean(),
  /** Whether every paired example comes to 0 or 1 on both sides, in each repetition. */
  is_binary: z.boolean(),
  /** Examples scored in both. */
  pair_count: z.int(),
  /** Examples scored in one of them only; they are left out. */
  only_baseline_count: z.int(),
  only_comparison_count: z.int(),
  baseline: ScoredSide,
  comparison: ScoredSide,
  /** Examples that the comparison wins, loses, or neither. */
  wins: z.int(),
  losses: z.int(),
  ties: z.int(),
  difference: z.object({
    mean: figure,
    /** Of the paired differences. */
    standard_deviation: figure,
    standard_error: figure,
    /** Bootstrap of the mean; null below two pairs. */
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
  /** Which of the tests decides. */
  decided_by: z.enum(['paired_t', 'wilcoxon', 'mcnemar']).nullable(),
  p_value: figure,
  /** The same after Holm's correction over all comparisons of the answer. */
  p_value_adjusted: figure,
  /** The smallest mean difference that a study of this size finds with the power asked for. */
  minimum_detectable_effect: figure,
  verdict: Verdict,
  /** Why, in a sentence. */
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
  /** By key in order of its text, then in the order of the sessions asked for. */
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
