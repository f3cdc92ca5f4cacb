import type { SignificanceTest } from '@touchstone/contract'
import { incompleteBeta } from './gamma.ts'

/** McNemar's exact test on pairs of binary scores: of those that differ, either side is as likely to win. Two-sided. */
export function mcnemar(wins: number, losses: number): SignificanceTest {
  const differing = wins + losses
  const fewer = Math.min(wins, losses)
  // P(X ≤ k) of a fair coin tossed n times is an incomplete beta function.
  const p = differing === 0 || wins === losses ? 1 : 2 * incompleteBeta(0.5, differing - fewer, fewer + 1)
  return { statistic: wins, p_value: Math.min(1, p), method: 'exact' }
}
