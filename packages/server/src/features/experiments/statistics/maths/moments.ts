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
