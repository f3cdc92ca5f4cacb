import type { KeyComparison } from '@touchstone/sdk'
import { formatScoreDelta, pluralize } from '#lib/format.ts'

/** A difference to the baseline as a list shows it. */
export interface ShownDifference {
  readonly delta: number
  /** `unclear`: the 95 % interval includes zero, or there is none. */
  readonly tone: 'better' | 'worse' | 'unclear'
  /** The difference in words. */
  readonly description: string
}

/** @returns undefined when no example was scored by both */
export function describeDifference(
  { difference, pair_count, is_lower_score_better }: KeyComparison,
  baselineName: string,
): ShownDifference | undefined {
  const { mean, interval } = difference
  if (mean === null) return undefined
  const examples = `${pluralize(pair_count, 'example')} scored by both`
  const range =
    interval === null
      ? 'too few for an interval'
      : `95 % interval ${formatScoreDelta(interval.low)} to ${formatScoreDelta(interval.high)}`
  const isClear = interval !== null && (interval.low > 0 || interval.high < 0)
  const tone = !isClear ? 'unclear' : mean > 0 !== is_lower_score_better ? 'better' : 'worse'
  const remark = isClear || interval === null ? '' : '. It may be due to chance: the interval includes 0'
  return {
    delta: mean,
    tone,
    description: `${formatScoreDelta(mean)} compared with ${baselineName}, ${range}, ${examples}${remark}`,
  }
}
