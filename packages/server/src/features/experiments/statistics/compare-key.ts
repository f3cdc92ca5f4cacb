import type { KeyComparison, SignificanceTest } from '@touchstone/contract'
import type { ExampleScores } from '../index.ts'
import { type BootstrapOptions, bootstrapMean } from './maths/bootstrap.ts'
import { pairedT } from './maths/distributions.ts'
import { computeDeviation, computeMoments, computeVarianceComponents, type Moments } from './maths/moments.ts'
import { computeMinimumDetectableEffect, mcnemar, wilcoxon } from './maths/significance-tests.ts'

export interface CompareOptions extends BootstrapOptions {
  readonly power: number
  readonly isLowerBetter: boolean
}

/** The figures of one key except the corrected p value and the verdict, which depend on the other keys. */
export type Uncorrected = Omit<KeyComparison, 'session_id' | 'feedback_key' | 'p_value_adjusted' | 'verdict' | 'reason'>

/**
 * Compares the scores of an experiment with those of the baseline, example by example.
 *
 * @param baseline  an index means the same example in both
 */
export async function compareKey(
  baseline: ExampleScores,
  comparison: ExampleScores,
  options: CompareOptions,
): Promise<Uncorrected> {
  const pairs = pairUp(baseline, comparison)
  const moments = computeMoments(pairs.differences)
  const isComputable = Number.isFinite(moments.squares)
  const counts = countSigns(pairs.differences)
  const [wins, losses] = options.isLowerBetter ? [counts.negative, counts.positive] : [counts.positive, counts.negative]
  const tests = isComputable ? runTests(pairs, moments, counts) : NO_TESTS
  const deciding = findDecidingTest(tests, moments.n)
  const deviation = isComputable ? computeDeviation(moments) : null
  const interval = isComputable ? await bootstrapMean(pairs.differences, options) : null
  return {
    is_lower_score_better: options.isLowerBetter,
    is_binary: pairs.areBinary,
    pair_count: moments.n,
    only_baseline_count: pairs.onlyBaseline,
    only_comparison_count: pairs.onlyComparison,
    baseline: summarizeScores(baseline, pairs.baseline),
    comparison: summarizeScores(comparison, pairs.comparison),
    wins,
    losses,
    ties: moments.n - wins - losses,
    difference: {
      mean: moments.n === 0 ? null : toFinite(moments.mean),
      standard_deviation: deviation,
      standard_error: deviation === null ? null : deviation / Math.sqrt(moments.n),
      interval: interval && { ...interval, confidence: options.confidence },
      effect_size: deviation ? moments.mean / deviation : null,
    },
    tests,
    decided_by: deciding,
    p_value: deciding ? (tests[deciding]?.p_value ?? null) : isComputable && moments.n > 0 ? 1 : null,
    minimum_detectable_effect: isComputable
      ? computeMinimumDetectableEffect(moments, 1 - options.confidence, options.power)
      : null,
  }
}

type Tests = KeyComparison['tests']
const NO_TESTS: Tests = { paired_t: null, wilcoxon: null, mcnemar: null }

/** From this number of pairs, the mean of almost any scores is close enough to normal for the t test. */
const PAIRS_FOR_T = 30

function runTests(pairs: Pairs, moments: Moments, { positive, negative }: Signs): Tests {
  return {
    paired_t: pairedT(moments),
    wilcoxon: wilcoxon(pairs.differences),
    mcnemar: pairs.areBinary && moments.n > 0 ? mcnemar(positive, negative) : null,
  }
}

/** The test that decides: the exact test for binary scores, ranks for few pairs, otherwise means. */
function findDecidingTest(tests: Tests, pairCount: number): keyof Tests | null {
  const order: (keyof Tests)[] = pairCount < PAIRS_FOR_T ? ['mcnemar', 'wilcoxon'] : ['mcnemar', 'paired_t', 'wilcoxon']
  return order.find((name): name is keyof Tests => (tests[name] satisfies SignificanceTest | null) !== null) ?? null
}

interface Pairs {
  /** Comparison minus baseline, of the examples that both scored. */
  readonly differences: Float64Array
  readonly baseline: Float64Array
  readonly comparison: Float64Array
  readonly onlyBaseline: number
  readonly onlyComparison: number
  /** Whether all scores of both, in every repetition, are 0 or 1. */
  readonly areBinary: boolean
}

function pairUp(baseline: ExampleScores, comparison: ExampleScores): Pairs {
  const isScored = ({ counts }: ExampleScores, at: number) => (counts[at] ?? 0) > 0
  const isBinary = ({ means, squares }: ExampleScores, at: number) =>
    (means[at] === 0 || means[at] === 1) && squares[at] === 0
  const paired: number[] = []
  let [onlyBaseline, onlyComparison, areBinary] = [0, 0, true]
  for (let at = 0; at < baseline.counts.length; at++) {
    if (isScored(baseline, at) && isScored(comparison, at)) {
      paired.push(at)
      areBinary &&= isBinary(baseline, at) && isBinary(comparison, at)
    } else if (isScored(baseline, at)) onlyBaseline++
    else if (isScored(comparison, at)) onlyComparison++
  }
  const selectMeans = ({ means }: ExampleScores) => Float64Array.from(paired, (at) => means[at] ?? Number.NaN)
  const [before, after] = [selectMeans(baseline), selectMeans(comparison)]
  const differences = after.map((mean, at) => subtract(mean, before[at] ?? Number.NaN))
  return {
    differences,
    baseline: before,
    comparison: after,
    onlyBaseline,
    onlyComparison,
    areBinary: areBinary && paired.length > 0,
  }
}

/**
 * Subtracts without the rounding of binary fractions, to twelve digits of the scores: 0.3 − 0.2 must get the same rank as
 * 0.2 − 0.1.
 */
function subtract(after: number, before: number): number {
  const delta = after - before
  if (delta === 0 || !Number.isFinite(delta)) return delta
  const finest = 10 ** (Math.floor(Math.log10(Math.max(Math.abs(after), Math.abs(before)))) - 12)
  const steps = Math.round(delta / finest)
  return steps === 0 ? 0 : Number((steps * finest).toPrecision(12))
}

interface Signs {
  readonly positive: number
  readonly negative: number
}

function countSigns(differences: Float64Array): Signs {
  let [positive, negative] = [0, 0]
  for (const value of differences) {
    if (value > 0) positive++
    else if (value < 0) negative++
  }
  return { positive, negative }
}

function summarizeScores(cells: ExampleScores, paired: Float64Array): KeyComparison['baseline'] {
  const { within, between, reliability } = computeVarianceComponents(cells)
  let [examples, scores] = [0, 0]
  for (const count of cells.counts) {
    examples += count > 0 ? 1 : 0
    scores += count
  }
  return {
    example_count: examples,
    score_count: scores,
    mean: paired.length === 0 ? null : toFinite(computeMoments(paired).mean),
    variance_within: toFinite(within),
    variance_between: toFinite(between),
    reliability: toFinite(reliability),
  }
}

/** Null for a number that is too large for a float. */
function toFinite(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null
}
