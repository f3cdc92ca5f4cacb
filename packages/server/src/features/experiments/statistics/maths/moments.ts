/** Mean and sums of powers of the deviations from it; all zero without values. */
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
  // The rounded mean of equal values may differ from them, which must not count as spread.
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

/** Scores of one experiment, an element for each example. */
interface ScoreCells {
  /** Number of scores of each example. */
  readonly counts: Float64Array
  /** Mean score of each example. */
  readonly means: Float64Array
  /** Sum of squared deviations from the mean, of each example. */
  readonly squares: Float64Array
}

interface VarianceComponents {
  readonly within: number | null
  readonly between: number | null
  /** `between` over the sum of both; null when both are unknown or zero. */
  readonly reliability: number | null
}

/**
 * Splits the variance of scores into the part between examples and the part between repetitions of an example: one-way
 * random effects by the method of moments, with unequal counts. A negative estimate becomes zero.
 */
export function computeVarianceComponents({ counts, means, squares }: ScoreCells): VarianceComponents {
  let [groups, scores, sum, squaredCounts, within] = [0, 0, 0, 0, 0]
  counts.forEach((count, at) => {
    if (count === 0) return
    groups++
    scores += count
    sum += count * (means[at] ?? 0)
    squaredCounts += count * count
    within += squares[at] ?? 0
  })
  const repeats = scores - groups
  if (repeats === 0) return { within: null, between: null, reliability: null }
  const meanWithin = within / repeats
  if (groups < 2) return { within: meanWithin, between: null, reliability: null }
  const grand = sum / scores
  let spread = 0
  counts.forEach((count, at) => {
    if (count > 0) spread += count * ((means[at] ?? 0) - grand) ** 2
  })
  const typicalCount = (scores - squaredCounts / scores) / (groups - 1)
  const between = Math.max(0, (spread / (groups - 1) - meanWithin) / typicalCount)
  const total = between + meanWithin
  return { within: meanWithin, between, reliability: total === 0 ? null : between / total }
}
