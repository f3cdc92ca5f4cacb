import type { SignificanceTest } from '@touchstone/contract'
import { incompleteBeta, logGamma } from './gamma.ts'
import type { Moments } from './moments.ts'
import { normalCdf } from './normal.ts'

/** P(|T| ≥ |t|) of Student's t with `df` > 0 degrees of freedom. */
export function twoSidedT(t: number, df: number): number {
  return incompleteBeta(df / (df + t * t), df / 2, 0.5)
}

/** The t ≥ 0 with P(|T| ≥ t) = p, for 0 < p < 1. */
export function criticalT(p: number, df: number): number {
  return solveRising((t) => p - twoSidedT(t, df), 2)
}

/**
 * The centre of the t statistic at which a two-sided t test finds the effect with a given power.
 *
 * @param power  between the test's level and 1
 */
export function findNcpForPower(power: number, df: number, alpha: number): number {
  const powerAt = computePower(df, alpha)
  return solveRising((ncp) => powerAt(ncp) - power, 3)
}

/**
 * Chance that a two-sided t test at level `alpha` finds an effect, as a function of the centre of its t statistic (the
 * non-central t distribution, by integrating over the estimate of the spread).
 */
export function computePower(df: number, alpha: number): (ncp: number) => number {
  const critical = criticalT(alpha, df)
  const { spreads, weights } = spreadsOf(df, critical)
  return (ncp) => {
    let power = 0
    for (let at = 0; at < spreads.length; at++) {
      const needed = critical * spreads[at]!
      power += weights[at]! * (normalCdf(ncp - needed) + normalCdf(-ncp - needed))
    }
    return power
  }
}

/** Steps of the integral: so many that neither the density nor the chance at a spread changes much in one. */
const MIN_STEPS = 600
const MAX_STEPS = 20_000
const FINEST = 0.05

/** Values of √(χ²/df) with their probabilities, by Simpson's rule over all that matters. */
function spreadsOf(df: number, critical: number): { spreads: Float64Array; weights: Float64Array } {
  const halfWidth = 12 / Math.sqrt(2 * df)
  const from = Math.max(0, 1 - halfWidth)
  const width = 1 + halfWidth - from
  const steps = 2 * Math.ceil(Math.min(MAX_STEPS, Math.max(MIN_STEPS, (critical * width) / FINEST)) / 2)
  const step = width / steps
  const half = df / 2
  const scale = Math.log(2) + half * Math.log(half) - logGamma(half)
  const spreads = Float64Array.from({ length: steps + 1 }, (_, at) => from + at * step)
  const weights = spreads.map((spread, at) => {
    const simpson = at === 0 || at === steps ? 1 : at % 2 === 1 ? 4 : 2
    const powers = df === 1 ? 0 : (df - 1) * Math.log(spread)
    return ((simpson * step) / 3) * Math.exp(scale + powers - half * spread * spread)
  })
  return { spreads, weights }
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
 * @returns null below two pairs, and where all differences are equal: without spread there is no scale to measure on
 */
export function pairedT({ n, mean, squares }: Moments): SignificanceTest | null {
  if (n < 2 || squares === 0) return null
  const t = mean / Math.sqrt(squares / (n - 1) / n)
  return { statistic: t, p_value: twoSidedT(t, n - 1), method: 'approximate' }
}
