import { computeDeviation, type Moments } from './moments.ts'
import { findNcpForPower } from './student-t.ts'

/**
 * The smallest mean difference that a two-sided paired t test over as many pairs, of the same spread, finds with a given
 * power.
 *
 * @returns in the unit of the score; null below two pairs or without spread
 */
export function minimumDetectableEffect(differences: Moments, alpha: number, power: number): number | null {
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
