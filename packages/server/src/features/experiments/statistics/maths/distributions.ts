import type { SignificanceTest } from '@touchstone/contract'
import type { Moments } from './moments.ts'

const SQRT_2PI = Math.sqrt(2 * Math.PI)

/** P(Z ≤ z) of the standard normal distribution; with relative accuracy also far out in the lower tail. */
export function normalCdf(z: number): number {
  if (Number.isNaN(z)) return Number.NaN
  return z < 0 ? upperTail(-z) : 1 - upperTail(z)
}

/** P(Z > z) for z ≥ 0: a series near zero, a continued fraction for larger values. */
function upperTail(z: number): number {
  if (z > 38) return 0
  const density = Math.exp((-z * z) / 2) / SQRT_2PI
  if (z < 3) {
    let term = z
    let sum = z
    for (let k = 1; Math.abs(term) > 1e-17 * Math.abs(sum); k++) {
      term *= (z * z) / (2 * k + 1)
      sum += term
    }
    return 0.5 - density * sum
  }
  let below = z
  for (let k = 200; k >= 1; k--) below = z + k / below
  return density / below
}

/** The z with P(Z ≤ z) = p; infinite at 0 and 1 (Wichura's AS 241). */
export function normalQuantile(p: number): number {
  if (p <= 0) return Number.NEGATIVE_INFINITY
  if (p >= 1) return Number.POSITIVE_INFINITY
  const q = p - 0.5
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q
    return (q * polynomial(CENTER[0], r)) / polynomial(CENTER[1], r)
  }
  const r = Math.sqrt(-Math.log(q < 0 ? p : 1 - p))
  const [above, under, from] = r <= 5 ? [TAIL[0], TAIL[1], 1.6] : [FAR[0], FAR[1], 5]
  const value = polynomial(above, r - from) / polynomial(under, r - from)
  return q < 0 ? -value : value
}

/** Evaluates a polynomial; the constant is the first coefficient. */
function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduceRight((sum, coefficient) => sum * x + coefficient, 0)
}

type Ratio = readonly [above: readonly number[], under: readonly number[]]

const CENTER: Ratio = [
  [
    3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987, 67265.7709270087,
    33430.57558358813, 2509.0809287301227,
  ],
  [
    1, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271,
    28729.085735721943, 5226.495278852546,
  ],
]

const TAIL: Ratio = [
  [
    1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684,
    0.2417807251774506, 0.022723844989269184, 0.0007745450142783414,
  ],
  [
    1, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008, 0.015198666563616457,
    0.0005475938084995345, 1.0507500716444169e-9,
  ],
]

const FAR: Ratio = [
  [
    6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487, 0.026532189526576124,
    0.0012426609473880784, 2.7115555687434876e-5, 2.0103343992922881e-7,
  ],
  [
    1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133, 1.8463183175100548e-5,
    1.421511758316446e-7, 2.0442631033899397e-15,
  ],
]

const LANCZOS = [
  0.9999999999998099, 676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
]

/** Natural logarithm of Γ(x) for x > 0 (Lanczos, g = 7). */
export function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x)
  const base = x + 6.5
  const series = LANCZOS.reduce((sum, factor, at) => (at === 0 ? factor : sum + factor / (x - 1 + at)), 0)
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(base) - base + Math.log(series)
}

/** Regularized incomplete beta function I_x(a, b), for a, b > 0 and 0 ≤ x ≤ 1. */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x))
  // The fraction converges quickly on one side of the mean; the other side is computed by symmetry.
  return x < (a + 1) / (a + b + 2) ? (front * fraction(x, a, b)) / a : 1 - (front * fraction(1 - x, b, a)) / b
}

const TINY = 1e-300
const EPSILON = 1e-16
const MAX_FRACTION_STEPS = 10_000

/** The continued fraction of the incomplete beta function, by Lentz's method. */
function fraction(x: number, a: number, b: number): number {
  const awayFromZero = (value: number) => (Math.abs(value) < TINY ? TINY : value)
  let c = 1
  let d = 1 / awayFromZero(1 - ((a + b) * x) / (a + 1))
  let result = d
  for (let m = 1; m <= MAX_FRACTION_STEPS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / awayFromZero(1 + even * d)
    c = awayFromZero(1 + even / c)
    result *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / awayFromZero(1 + odd * d)
    c = awayFromZero(1 + odd / c)
    result *= d * c
    if (Math.abs(d * c - 1) < EPSILON) break
  }
  return result
}

/** P(|T| ≥ |t|) of Student's t with `df` > 0 degrees of freedom. */
export function twoSidedT(t: number, df: number): number {
  return incompleteBeta(df / (df + t * t), df / 2, 0.5)
}

/** The t ≥ 0 with P(|T| ≥ t) = p, for 0 < p < 1. */
export function criticalT(p: number, df: number): number {
  return solveRising((t) => p - twoSidedT(t, df), 2)
}

/**
 * The noncentrality of the t statistic at which a two-sided t test finds the effect with a given power.
 *
 * @param power  between the test's level and 1
 */
export function findNcpForPower(power: number, df: number, alpha: number): number {
  const powerAt = computePower(df, alpha)
  return solveRising((ncp) => powerAt(ncp) - power, 3)
}

/**
 * Chance that a two-sided t test at level `alpha` finds an effect, as a function of the noncentrality of its t statistic
 * (the noncentral t distribution, integrated over the estimate of the spread).
 */
export function computePower(df: number, alpha: number): (ncp: number) => number {
  const critical = criticalT(alpha, df)
  const nodes = listSpreads(df, critical)
  return (ncp) => {
    let power = 0
    for (const { spread, weight } of nodes) {
      const needed = critical * spread
      power += weight * (normalCdf(ncp - needed) + normalCdf(-ncp - needed))
    }
    return power
  }
}

/** Steps of the integral: enough that neither the density nor the probability changes much within a step. */
const MIN_STEPS = 600
const MAX_STEPS = 20_000
const FINEST = 0.05

/** Values of √(χ²/df) with their probabilities, by Simpson's rule over the relevant range. */
function listSpreads(df: number, critical: number): { readonly spread: number; readonly weight: number }[] {
  const halfWidth = 12 / Math.sqrt(2 * df)
  const from = Math.max(0, 1 - halfWidth)
  const width = 1 + halfWidth - from
  const steps = 2 * Math.ceil(Math.min(MAX_STEPS, Math.max(MIN_STEPS, (critical * width) / FINEST)) / 2)
  const step = width / steps
  const half = df / 2
  const scale = Math.log(2) + half * Math.log(half) - logGamma(half)
  return Array.from({ length: steps + 1 }, (_, at) => {
    const spread = from + at * step
    const simpson = at === 0 || at === steps ? 1 : at % 2 === 1 ? 4 : 2
    const powers = df === 1 ? 0 : (df - 1) * Math.log(spread)
    return { spread, weight: ((simpson * step) / 3) * Math.exp(scale + powers - half * spread * spread) }
  })
}

/** Root of a continuous function that rises through zero at some x > 0 (regula falsi after Illinois). */
function solveRising(f: (x: number) => number, guess: number): number {
  let [low, high] = [0, guess]
  let [atLow, atHigh] = [f(low), f(high)]
  while (atHigh < 0 && high < 1e300) {
    ;[low, atLow] = [high, atHigh]
    high *= 2
    atHigh = f(high)
  }
  let lastSide = 0
  for (let round = 0; round < 200 && high - low > 1e-14 * high && atHigh !== 0; round++) {
    // Every eighth step halves, for functions that are flat on one side.
    const x = round % 8 === 7 ? (low + high) / 2 : (low * atHigh - high * atLow) / (atHigh - atLow)
    const value = f(x)
    if (value === 0) return x
    if (value < 0) {
      ;[low, atLow] = [x, value]
      if (lastSide === -1) atHigh /= 2
      lastSide = -1
    } else {
      ;[high, atHigh] = [x, value]
      if (lastSide === 1) atLow /= 2
      lastSide = 1
    }
  }
  return (low + high) / 2
}

/**
 * Student's t test that the mean of paired differences is zero, two-sided.
 *
 * @returns null below two pairs, and when all differences are equal, because the statistic is undefined without spread
 */
export function pairedT({ n, mean, squares }: Moments): SignificanceTest | null {
  if (n < 2 || squares === 0) return null
  const t = mean / Math.sqrt(squares / (n - 1) / n)
  return { statistic: t, p_value: twoSidedT(t, n - 1), method: 'approximate' }
}
