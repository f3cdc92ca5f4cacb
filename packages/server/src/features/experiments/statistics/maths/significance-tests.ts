import type { SignificanceTest } from '@touchstone/contract'
import { findNcpForPower, incompleteBeta, normalCdf } from './distributions.ts'
import { computeDeviation, type Moments } from './moments.ts'

/** Up to so many differences the distribution is counted out. */
const MAX_EXACT = 50

/**
 * Wilcoxon's signed-rank test that paired differences are symmetric about zero, two-sided. Zeros are dropped, equal
 * sizes share their mean rank. Up to 50 differences that remain the p value is exact, also with shared ranks; beyond,
 * the normal approximation with the variance corrected for shared ranks.
 *
 * @returns null when every difference is zero
 */
export function wilcoxon(differences: Float64Array): SignificanceTest | null {
  const given = differences.filter((difference) => difference !== 0)
  if (given.length === 0) return null
  const sizes = given.map(Math.abs).sort()
  const { ranks, tieTerm } = doubledRanks(sizes)
  const rankOf = new Map(Array.from(sizes, (size, at) => [size, ranks[at]!]))
  let plus = 0
  for (const difference of given) if (difference > 0) plus += rankOf.get(difference)!
  const total = given.length * (given.length + 1)
  const smaller = Math.min(plus, total - plus)
  const statistic = smaller / 2
  if (given.length <= MAX_EXACT) {
    return { statistic, p_value: exactP(ranks, smaller), method: 'exact' }
  }
  const n = given.length
  const spread = Math.sqrt((n * (n + 1) * (2 * n + 1) - tieTerm / 2) / 24)
  const z = (statistic - total / 4) / spread
  return { statistic, p_value: Math.min(1, 2 * normalCdf(z)), method: 'approximate' }
}

/** Ranks of sizes in rising order, times two, so that shared ones are whole; and Σ(t³ − t) over groups of t equal sizes. */
function doubledRanks(sizes: Float64Array): { ranks: Int32Array; tieTerm: number } {
  const ranks = new Int32Array(sizes.length)
  let tieTerm = 0
  for (let first = 0; first < sizes.length; ) {
    let end = first + 1
    while (end < sizes.length && sizes[end] === sizes[first]) end++
    ranks.fill(first + end + 1, first, end)
    const tied = end - first
    tieTerm += tied ** 3 - tied
    first = end
  }
  return { ranks, tieTerm }
}

/** Twice the share of all assignments of signs whose sum is at most this one; the distribution is symmetric. */
function exactP(ranks: Int32Array, smaller: number): number {
  const chances = new Float64Array(ranks.reduce((sum, rank) => sum + rank, 0) + 1)
  chances[0] = 1
  let reach = 0
  for (const rank of ranks) {
    reach += rank
    for (let sum = reach; sum >= 0; sum--) {
      chances[sum] = (chances[sum]! + (sum >= rank ? chances[sum - rank]! : 0)) / 2
    }
  }
  let below = 0
  for (let sum = 0; sum <= smaller; sum++) below += chances[sum]!
  return Math.min(1, 2 * below)
}

/** McNemar's exact test on pairs of binary scores: of those that differ, either side is as likely to win. Two-sided. */
export function mcnemar(wins: number, losses: number): SignificanceTest {
  const differing = wins + losses
  const fewer = Math.min(wins, losses)
  const p = wins === losses ? 1 : 2 * atMost(fewer, differing)
  return { statistic: wins, p_value: Math.min(1, p), method: 'exact' }
}

/** As far as all ways of choosing are whole numbers without rounding. */
const MAX_COUNTED = 50

/** P(X ≤ k) of a fair coin tossed n times, for k < n. */
function atMost(k: number, n: number): number {
  if (n > MAX_COUNTED) return incompleteBeta(0.5, n - k, k + 1)
  let [ways, sum] = [1, 1]
  for (let heads = 1; heads <= k; heads++) {
    ways = (ways * (n - heads + 1)) / heads
    sum += ways
  }
  return sum / 2 ** n
}

/**
 * The smallest mean difference that a two-sided paired t test over as many pairs, of the same spread, finds with a given
 * power.
 *
 * @returns in the unit of the score; null below two pairs or without spread
 */
export function computeMinimumDetectableEffect(differences: Moments, alpha: number, power: number): number | null {
  const deviation = computeDeviation(differences)
  if (!deviation) return null
  return (rememberedNcp(power, differences.n - 1, alpha) * deviation) / Math.sqrt(differences.n)
}

const remembered = new Map<string, number>()
const MAX_REMEMBERED = 1000

/** Takes some milliseconds, and the keys of two experiments mostly have as many pairs. */
function rememberedNcp(power: number, df: number, alpha: number): number {
  const key = `${power} ${df} ${alpha}`
  const known = remembered.get(key)
  if (known !== undefined) return known
  if (remembered.size >= MAX_REMEMBERED) remembered.clear()
  const ncp = findNcpForPower(power, df, alpha)
  remembered.set(key, ncp)
  return ncp
}
