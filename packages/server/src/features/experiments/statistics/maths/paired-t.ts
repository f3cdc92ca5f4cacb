import type { SignificanceTest } from '@touchstone/contract'
import type { Moments } from './moments.ts'
import { twoSidedT } from './student-t.ts'

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
