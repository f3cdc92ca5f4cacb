/** Mean and sums of powers of what differs from it; all zero of nothing. */
export interface Moments {
  readonly n: number
  readonly mean: number
  /** Sum of squared deviations. */
  readonly squares: number
  /** Sum of cubed deviations. */
  readonly cubes: number
}

export function computeMoments(values: Float64Array): Moments {
  const n = values.length
  const first = values[0] ?? 0
  // Equal values may differ from their mean by its rounding; that is no spread.
  if (values.every((value) => value === first)) return { n, mean: first, squares: 0, cubes: 0 }
  let sum = 0
  for (const value of values) sum += value
  const mean = sum / n
  let [squares, cubes] = [0, 0]
  for (const value of values) {
    const deviation = value - mean
    squares += deviation * deviation
    cubes += deviation * deviation * deviation
  }
  return { n, mean, squares, cubes }
}

/** Standard deviation of the sample; null below two values. */
export function computeDeviation({ n, squares }: Moments): number | null {
  return n < 2 ? null : Math.sqrt(squares / (n - 1))
}

/** Scores of one experiment by example, a place each. */
interface ScoreCells {
  /** Scores of the example; 0 where it has none. */
  readonly counts: Float64Array
  /** Their mean. */
  readonly means: Float64Array
  /** Sum of their squared deviations from it. */
  readonly squares: Float64Array
}

interface VarianceComponents {
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
