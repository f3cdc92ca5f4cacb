/** Scores of one experiment by example, a place each. */
export interface ScoreCells {
  /** Scores of the example; 0 where it has none. */
  readonly counts: Float64Array
  /** Their mean. */
  readonly means: Float64Array
  /** Sum of their squared deviations from it. */
  readonly squares: Float64Array
}

export interface VarianceComponents {
  readonly within: number | null
  readonly between: number | null
  /** `between` over the sum of both; null where both are unknown or zero. */
  readonly reliability: number | null
}

/**
 * How much of the variance of scores lies between examples, and how much between repetitions of one: one-way random
 * effects by the method of moments, with examples of unequal counts. A negative estimate is zero.
 */
export function varianceComponents({ counts, means, squares }: ScoreCells): VarianceComponents {
  let [groups, scores, sum, squaredCounts, within] = [0, 0, 0, 0, 0]
  counts.forEach((count, at) => {
    if (count === 0) return
    groups++
    scores += count
    sum += count * means[at]!
    squaredCounts += count * count
    within += squares[at]!
  })
  const repeats = scores - groups
  if (repeats === 0) return { within: null, between: null, reliability: null }
  const meanWithin = within / repeats
  if (groups < 2) return { within: meanWithin, between: null, reliability: null }
  const grand = sum / scores
  let spread = 0
  counts.forEach((count, at) => {
    if (count > 0) spread += count * (means[at]! - grand) ** 2
  })
  const typicalCount = (scores - squaredCounts / scores) / (groups - 1)
  const between = Math.max(0, (spread / (groups - 1) - meanWithin) / typicalCount)
  const total = between + meanWithin
  return { within: meanWithin, between, reliability: total === 0 ? null : between / total }
}
