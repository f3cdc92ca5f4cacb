import { normalCdf, normalQuantile } from './distributions.ts'
import { computeMoments } from './moments.ts'

export interface Interval {
  readonly low: number
  readonly high: number
  /** `percentile` when the correction cannot be computed. */
  readonly method: 'bca' | 'percentile'
}

export interface BootstrapOptions {
  readonly confidence: number
  readonly resamples: number
  readonly seed: number
  /** Called about every ten milliseconds. */
  readonly pause: () => Promise<void>
}

/**
 * Bootstrap interval of the mean: bias-corrected and accelerated (Efron 1987), with the acceleration from the jackknife.
 * The order of the values has no effect, because they are sorted first.
 *
 * @returns null below two values
 */
export async function bootstrapMean(values: Float64Array, options: BootstrapOptions): Promise<Interval | null> {
  if (values.length < 2) return null
  const sorted = values.slice().sort()
  const { mean, squares, cubes } = computeMoments(sorted)
  if (squares === 0) return { low: mean, high: mean, method: 'percentile' }
  const means = (await resampledMeans(sorted, options)).sort()
  const tail = (1 - options.confidence) / 2
  const bias = normalQuantile(shareBelow(means, mean))
  const acceleration = cubes / (6 * squares ** 1.5)
  const low = correctShare(tail, bias, acceleration)
  const high = correctShare(1 - tail, bias, acceleration)
  if (Number.isNaN(low) || Number.isNaN(high)) {
    return { low: quantile(means, tail), high: quantile(means, 1 - tail), method: 'percentile' }
  }
  return { low: quantile(means, low), high: quantile(means, high), method: 'bca' }
}

/** Draws between two pauses; about ten milliseconds. */
const DRAWS_AT_ONCE = 2_000_000

async function resampledMeans(
  values: Float64Array,
  { resamples, seed, pause }: BootstrapOptions,
): Promise<Float64Array> {
  const means = new Float64Array(resamples)
  const atOnce = Math.max(1, Math.floor(DRAWS_AT_ONCE / values.length))
  let state = toInitialState(seed)
  for (let from = 0; from < resamples; from += atOnce) {
    if (from > 0) await pause()
    state = fillMeans(means.subarray(from, from + atOnce), values, state)
  }
  return means
}

/**
 * Fills an array with means of samples, drawn with replacement and of the same size as the values. Marsaglia's xorshift32
 * is inlined: 20 million draws take 60 ms. A generator function takes twice as long, one with a larger state three times.
 *
 * @returns the state of the generator after the last draw
 */
function fillMeans(means: Float64Array, values: Float64Array, state: number): number {
  const n = values.length
  const scale = n / 2 ** 31
  let x = state
  for (let at = 0; at < means.length; at++) {
    let sum = 0
    for (let draw = 0; draw < n; draw++) {
      x ^= x << 13
      x ^= x >>> 17
      x ^= x << 5
      sum += values[((x & 0x7fffffff) * scale) | 0]!
    }
    means[at] = sum / n
  }
  return x
}

/** Similar seeds give different initial states. The state must not be zero. */
function toInitialState(seed: number): number {
  const mixed = Math.imul(seed ^ (seed >>> 16) ^ 0x9e3779b9, 0x85ebca6b)
  return (mixed ^ (mixed >>> 13)) | 0 || 1
}

/** Share of sorted values below a value; equal values count half. */
function shareBelow(sorted: Float64Array, value: number): number {
  let [less, equal] = [0, 0]
  // Sums of the same values in another order differ by rounding, so values within the slack are equal.
  const slack = 1e-12 * Math.max(Math.abs(value), Math.abs(sorted[0] ?? 0), Math.abs(sorted.at(-1) ?? 0))
  for (const one of sorted) {
    if (one < value - slack) less++
    else if (one <= value + slack) equal++
  }
  return (less + equal / 2) / sorted.length
}

/** The share of the bootstrap distribution that corresponds to a share of the true one; NaN when it is undefined. */
function correctShare(share: number, bias: number, acceleration: number): number {
  const shifted = bias + normalQuantile(share)
  const factor = 1 - acceleration * shifted
  return Number.isFinite(shifted) && factor > 0 ? normalCdf(bias + shifted / factor) : Number.NaN
}

/** Quantile of sorted values with linear interpolation. */
function quantile(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1)
  const below = Math.floor(at)
  const [low = Number.NaN, high = low] = sorted.subarray(below, below + 2)
  return low + (high - low) * (at - below)
}
