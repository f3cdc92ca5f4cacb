import { deviationOf, type Moments } from './moments.ts'
import { ncpOfPower } from './student-t.ts'

/**
 * The smallest mean difference that a two-sided paired t test over as many pairs, of the same spread, finds with a given
 * power.
 *
 * @returns in the unit of the score; null below two pairs or without spread
 */
export function minimumDetectableEffect(differences: Moments, alpha: number, power: number): number | null {
  const deviation = deviationOf(differences)
  if (!deviation) return null
  return (ncpOfPower(power, differences.n - 1, alpha) * deviation) / Math.sqrt(differences.n)
}
