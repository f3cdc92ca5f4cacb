import type { SignificanceTest } from '@touchstone/contract'
import { findNcpForPower, incompleteBeta, normalCdf } from './distributions.ts'
import { computeDeviation, type Moments } from './moments.ts'

/** Up to this number of differences, the distribution is computed exactly. */
const MAX_EXACT = 50

/**
 * Wilcoxon's signed-rank test that paired differences are symmetric about zero, two-sided. Zeros are dropped, and equal
 * sizes share their mean rank. Up to 50 remaining differences, the p value is exact, also with shared ranks; for more, it
 * is the normal approximation with the variance corrected for shared ranks.
 *
 * @returns null when every difference is zero
 */
export function wilcoxon(differences: Float64Array): SignificanceTest | null {
  const given = differences.filter((difference) => difference !== 0)
  if (given.length === 0) return null
  const { ranks, rankBySize, tieTerm } = doubleRanks(given.map(Math.abs).sort())
  let plus = 0
  for (const difference of given) if (difference > 0) plus += rankBySize.get(difference) ?? 0
  const total = given.length * (given.length + 1)
  const smaller = Math.min(plus, total - plus)
  const statistic = smaller / 2
  if (given.length <= MAX_EXACT) {
    return { statistic, p_value: computeExactP(ranks, smaller), method: 'exact' }
  }
  const n = given.length
  const spread = Math.sqrt((n * (n + 1) * (2 * n + 1) - tieTerm / 2) / 24)
  const z = (statistic - total / 4) / spread
  return { statistic, p_value: Math.min(1, 2 * normalCdf(z)), method: 'approximate' }
}

interface Ranks {
  /** Ranks in rising order, times two, so that shared ranks are whole numbers. */
  readonly ranks: Int32Array
  readonly rankBySize: ReadonlyMap<number, number>
  /** Σ(t³ − t) over groups of t equal sizes. */
  readonly tieTerm: number
}

/** @param sizes  in rising order */
function doubleRanks(sizes: Float64Array): Ranks {
  const counts = new Map<number, number>()
  for (const size of sizes) counts.set(size, (counts.get(size) ?? 0) + 1)
  const ranks = new Int32Array(sizes.length)
  const rankBySize = new Map<number, number>()
  let [first, tieTerm] = [0, 0]
  for (const [size, tied] of counts) {
    const rank = 2 * first + tied + 1
    ranks.fill(rank, first, first + tied)
    rankBySize.set(size, rank)
    tieTerm += tied ** 3 - tied
    first += tied
  }
  return { ranks, rankBySize, tieTerm }
}

/** Twice the share of all assignments of signs with at most this sum; the distribution is symmetric. */
function computeExactP(ranks: Int32Array, smaller: number): number {
  const chances = new Float64Array(ranks.reduce((sum, rank) => sum + rank, 0) + 1)
  chances[0] = 1
  let highest = 0
  for (const rank of ranks) {
    highest += rank
    for (let sum = highest; sum >= 0; sum--) {
      chances[sum] = ((chances[sum] ?? 0) + (chances[sum - rank] ?? 0)) / 2
    }
  }
  let below = 0
  for (const chance of chances.subarray(0, smaller + 1)) below += chance
  return Math.min(1, 2 * below)
}

/** McNemar's exact test on pairs of binary scores, two-sided: in pairs that differ, both sides are equally likely to win. */
export function mcnemar(wins: number, losses: number): SignificanceTest {
  const differing = wins + losses
  const fewer = Math.min(wins, losses)
  const p = wins === losses ? 1 : 2 * computeCoinCdf(fewer, differing)
  return { statistic: wins, p_value: Math.min(1, p), method: 'exact' }
}

/** Up to this number of tosses, all binomial coefficients are exact integers. */
const MAX_COUNTED = 50

/** P(X ≤ k) of a fair coin tossed n times, for k < n. */
function computeCoinCdf(k: number, n: number): number {
  if (n > MAX_COUNTED) return incompleteBeta(0.5, n - k, k + 1)
  let [ways, sum] = [1, 1]
  for (let heads = 1; heads <= k; heads++) {
    ways = (ways * (n - heads + 1)) / heads
    sum += ways
  }
  return sum / 2 ** n
}

/**
 * The smallest mean difference that a two-sided paired t test detects with a given power, with the same number of pairs
 * and the same spread.
 *
 * @returns in the unit of the score; null below two pairs or without spread
 */
export function computeMinimumDetectableEffect(differences: Moments, alpha: number, power: number): number | null {
  const deviation = computeDeviation(differences)
  if (!deviation) return null
  return (findCachedNcp(power, differences.n - 1, alpha) * deviation) / Math.sqrt(differences.n)
}

const cachedNcps = new Map<string, number>()
const MAX_CACHED = 1000

/** Cached: it takes some milliseconds, and most keys of two experiments have the same number of pairs. */
function findCachedNcp(power: number, df: number, alpha: number): number {
  const key = `${power} ${df} ${alpha}`
  const cached = cachedNcps.get(key)
  if (cached !== undefined) return cached
  if (cachedNcps.size >= MAX_CACHED) cachedNcps.clear()
  const ncp = findNcpForPower(power, df, alpha)
  cachedNcps.set(key, ncp)
  return ncp
}
