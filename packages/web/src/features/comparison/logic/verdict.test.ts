import type { KeyComparison } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { countNeededPairs, describeVerdict } from './verdict.ts'

type Given = Partial<Pick<KeyComparison, 'verdict' | 'pair_count'>> & {
  mean?: number | null
  deviation?: number | null
  interval?: [number, number]
}

function aComparison({ verdict = 'better', pair_count = 412, mean = 0.03, deviation = 0.2, interval }: Given) {
  return {
    verdict,
    pair_count,
    reason: 'the reason',
    difference: {
      mean,
      standard_deviation: deviation,
      interval: interval ? { low: interval[0], high: interval[1], confidence: 0.95, method: 'bca' } : null,
    },
  } as KeyComparison
}

const textOf = (given: Given) => describeVerdict(aComparison(given)).text

describe('a verdict in words', () => {
  it('has the amount by which it is better or worse, with interval and number of examples', () => {
    expect(describeVerdict(aComparison({ interval: [0.01, 0.05] }))).toEqual({
      tone: 'better',
      text: 'better: +0.03, 95 % interval +0.01 to +0.05, 412 shared examples',
      explanation: 'the reason',
    })
    expect(textOf({ verdict: 'worse', mean: -0.08, interval: [-0.1, -0.06] })).toBe(
      'worse: -0.08, 95 % interval -0.10 to -0.06, 412 shared examples',
    )
  })

  it('has the number of examples that would show the observed difference', () => {
    expect(textOf({ verdict: 'no difference shown', mean: 0.02, deviation: 0.213 })).toBe(
      'no difference shown: about 900 examples are needed to show +0.02, 412 are shared',
    )
  })

  it.each([
    [{ mean: 0 }, 'both score the same on average over 412 shared examples'],
    [{ mean: 0.03, deviation: 0.2 }, '+0.03 over 412 shared examples may be due to chance'],
    [{ mean: 0.0001, deviation: 1 }, '0.00 over 412 shared examples is too small to matter'],
    [{ mean: null, deviation: null }, 'nothing to compute with over 412 shared examples'],
  ])('without a difference of %j: %s', (given, text) => {
    expect(textOf({ verdict: 'no difference shown', ...given })).toBe(`no difference shown: ${text}`)
  })

  it('names the number of examples when there are too few', () => {
    expect(textOf({ verdict: 'not enough data', pair_count: 1 })).toBe(
      'not enough data: 1 example scored in both experiments',
    )
  })

  it('follows the switch of the direction', () => {
    expect(describeVerdict(aComparison({}), { isFlipped: true }).tone).toBe('worse')
    expect(describeVerdict(aComparison({ verdict: 'worse' }), { isFlipped: true }).tone).toBe('better')
  })
})

describe('the number of examples that a difference needs', () => {
  // Exact figures: the smallest n at which the noncentral t distribution of the server's statistics has the power.
  it.each([
    [0.2, {}, 198.2],
    [0.5, {}, 33.4],
    [0.8, {}, 14.3],
    [0.1, { power: 0.9 }, 1052.7],
    [0.5, { confidence: 0.99 }, 50.1],
  ])('for an effect of %d with %j is %d, rounded up to two digits', (effect, options, exact) => {
    const found = countNeededPairs(effect, 1, options)
    expect(found).toBeGreaterThanOrEqual(exact - 1)
    expect(found).toBeLessThan(exact * 1.1 + 1)
    expect(countNeededPairs(-effect * 3, 3, options)).toBe(found)
  })
})
