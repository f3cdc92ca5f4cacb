import type { KeyComparison } from '@touchstone/sdk'
import { formatCount, formatScoreDelta, pluralize } from '#lib/format.ts'

/** Whether an experiment is better than the baseline, in words for people who do not know statistics. */
export interface ShownVerdict {
  readonly tone: 'better' | 'worse' | 'unclear'
  /** "better: +0.03, 95 % interval +0.01 to +0.05, 412 shared examples" */
  readonly text: string
  /** What it rests on, and what would help. */
  readonly explanation: string
}

export interface VerdictOptions {
  /** Swaps better and worse, as the switch of the page does. @default false */
  readonly isFlipped?: boolean
  /** 1 minus the accepted risk of reporting a difference that is due to chance. @default 0.95 */
  readonly confidence?: number
}

/** Puts the server's statistics of one feedback key into words. `docs/guides/statistics.md` defines the verdicts. */
export function describeVerdict(comparison: KeyComparison, options: VerdictOptions = {}): ShownVerdict {
  const { isFlipped = false, confidence = 0.95 } = options
  const { verdict, reason, pair_count, difference } = comparison
  if (verdict === 'better' || verdict === 'worse') {
    const tone = (verdict === 'better') === isFlipped ? 'worse' : 'better'
    const interval = describeInterval(difference.interval)
    return {
      tone,
      text: `${tone}: ${[formatScoreDelta(difference.mean), interval, countExamples(pair_count)].filter(Boolean).join(', ')}`,
      explanation: reason,
    }
  }
  const text =
    verdict === 'no difference shown' ? describeNoDifference(comparison, confidence) : describeFew(comparison)
  return { tone: 'unclear', text: `${verdict}: ${text}`, explanation: reason }
}

function describeInterval(interval: KeyComparison['difference']['interval']): string {
  if (interval === null) return ''
  const percent = Math.round(interval.confidence * 1000) / 10
  return `${percent} % interval ${formatScoreDelta(interval.low)} to ${formatScoreDelta(interval.high)}`
}

function countExamples(count: number): string {
  return pluralize(count, 'shared example')
}

/** Beyond this number, more examples are not a realistic advice. */
const MAX_ADVISED = 1_000_000

function describeNoDifference({ difference, pair_count }: KeyComparison, confidence: number): string {
  const { mean, standard_deviation } = difference
  const counted = `over ${countExamples(pair_count)}`
  if (mean === null || standard_deviation === null) return `nothing to compute with ${counted}`
  if (mean === 0 || standard_deviation === 0) return `both score the same on average ${counted}`
  const needed = countNeededPairs(mean, standard_deviation, { confidence })
  const shown = formatScoreDelta(mean)
  if (needed <= pair_count) return `${shown} ${counted} may be due to chance`
  if (needed > MAX_ADVISED) return `${shown} ${counted} is too small to matter`
  return `about ${formatCount(needed)} examples are needed to show ${shown}, ${formatCount(pair_count)} are shared`
}

function describeFew({ pair_count }: KeyComparison): string {
  return `${pluralize(pair_count, 'example')} scored in both experiments`
}

export interface PowerOptions {
  /** @default 0.95 */
  readonly confidence?: number
  /** Chance to find the difference if it is real. @default 0.8 */
  readonly power?: number
}

/**
 * How many examples a two-sided paired t test needs to show a mean difference of this size:
 * n = ((z₁₋α⸝₂ + z_power) · s / d)² + z₁₋α⸝₂² / 2, rounded up to two digits. The last term corrects the normal approximation
 * for small n (Guenther 1981).
 *
 * @param difference  the mean difference d, not 0
 * @param deviation   the standard deviation s of the paired differences
 */
export function countNeededPairs(difference: number, deviation: number, options: PowerOptions = {}): number {
  const { confidence = 0.95, power = 0.8 } = options
  const ofLevel = getNormalQuantile((1 + confidence) / 2)
  const pairs = (((ofLevel + getNormalQuantile(power)) * deviation) / difference) ** 2 + ofLevel ** 2 / 2
  const unit = Math.max(1, 10 ** (Math.floor(Math.log10(pairs)) - 1))
  return Math.ceil(pairs / unit) * unit
}

/** The z with P(Z ≤ z) = p, for 0.5 ≤ p < 1, to four digits (Abramowitz and Stegun 26.2.23). */
function getNormalQuantile(p: number): number {
  const t = Math.sqrt(-2 * Math.log(1 - p))
  const above = 2.515517 + t * (0.802853 + t * 0.010328)
  const below = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308))
  return t - above / below
}
