import type { KeyComparison, Verdict } from '@touchstone/contract'
import type { Uncorrected } from './compare-key.ts'

/**
 * The fewest pairs at which some outcome could be told from chance: even if all of them pointed one way, the exact tests
 * could not go below 2^(1 − n).
 */
export function countFewestPairs(confidence: number): number {
  return Math.ceil(1 - Math.log2(1 - confidence) - 1e-9)
}

/**
 * What a comparison comes to. A difference counts when the corrected p value is below the level asked for and the
 * interval and the mean lie on the same side of zero.
 */
export function decideVerdict(
  figures: Uncorrected,
  adjusted: number | null,
  confidence: number,
): Pick<KeyComparison, 'verdict' | 'reason'> {
  const { pair_count: pairs, difference, is_lower_score_better: isLowerBetter } = figures
  const fewest = countFewestPairs(confidence)
  if (pairs < fewest) {
    const found = pairs === 1 ? '1 example is' : `${pairs} examples are`
    return toVerdict(
      'not enough data',
      `${found} scored in both; below ${fewest} no outcome could be told from chance.`,
    )
  }
  const { mean, interval } = difference
  if (mean === null || interval === null || adjusted === null) {
    return toVerdict('not enough data', 'The scores are too large to be computed with.')
  }
  const range = `${percent(confidence)} interval ${print(interval.low)} to ${print(interval.high)}`
  const chance = `p = ${print(adjusted)} after correction`
  const isClear = adjusted < 1 - confidence && (mean > 0 ? interval.low > 0 : mean < 0 && interval.high < 0)
  if (!isClear) {
    const unseen = figures.minimum_detectable_effect
    const limit = unseen === null ? '' : ` At this size a difference below ${print(unseen)} mostly stays unseen.`
    return toVerdict(
      'no difference shown',
      `The mean difference of ${print(mean)} (${range}) may be chance, ${chance}.${limit}`,
    )
  }
  const way = mean > 0 ? 'Higher' : 'Lower'
  return toVerdict(
    mean > 0 !== isLowerBetter ? 'better' : 'worse',
    `${way} by ${print(Math.abs(mean))} on average over ${pairs} examples (${range}), ${chance}.`,
  )
}

const toVerdict = (verdict: Verdict, reason: string) => ({ verdict, reason })

/** Three digits that matter. */
function print(value: number): string {
  if (value !== 0 && Math.abs(value) < 0.0001) return value.toExponential(1)
  return String(Number(value.toPrecision(3)))
}

function percent(share: number): string {
  return `${Number((share * 100).toPrecision(4))} %`
}
