import type { KeyComparison } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { describeDifference } from './difference.ts'

function aComparison(mean: number | null, interval: [number, number] | null, isLowerBetter = false): KeyComparison {
  return {
    difference: {
      mean,
      interval: interval && { low: interval[0], high: interval[1], confidence: 0.95, method: 'bca' },
    },
    pair_count: 412,
    is_lower_score_better: isLowerBetter,
  } as KeyComparison
}

describe('a difference to the baseline', () => {
  it.each([
    [0.03, [0.01, 0.05], false, 'better'],
    [-0.03, [-0.05, -0.01], false, 'worse'],
    [0.03, [0.01, 0.05], true, 'worse'],
    [-0.03, [-0.05, -0.01], true, 'better'],
    [0.03, [-0.01, 0.07], false, 'unclear'],
    [0.03, [0, 0.05], false, 'unclear'],
    [0.03, null, false, 'unclear'],
  ] as const)('of %d in %j, lower is better: %s, is %s', (mean, interval, isLowerBetter, tone) => {
    const comparison = aComparison(mean, interval && [...interval], isLowerBetter)
    expect(describeDifference(comparison, 'base')?.tone).toBe(tone)
  })

  it('is described with its interval and number of examples', () => {
    expect(describeDifference(aComparison(0.03, [0.01, 0.05]), 'base')?.description).toBe(
      '+0.03 compared with base, 95 % interval +0.01 to +0.05, 412 examples scored by both',
    )
    expect(describeDifference(aComparison(0.03, [-0.01, 0.07]), 'base')?.description).toContain('includes 0')
  })

  it('does not exist without common examples', () => {
    expect(describeDifference(aComparison(null, null), 'base')).toBeUndefined()
  })
})
