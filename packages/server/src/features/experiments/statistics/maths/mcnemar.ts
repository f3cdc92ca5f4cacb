import type { SignificanceTest } from '@touchstone/contract'
import { incompleteBeta } from './gamma.ts'

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
