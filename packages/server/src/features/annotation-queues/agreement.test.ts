import { describe, expect, it } from 'vitest'
import { measureAgreement } from './agreement.ts'

const numbers = (...units: number[][]) => units

describe('the agreement of reviewers', () => {
  it('is the alpha of the worked example of Krippendorff (2011) for nominal and interval data', () => {
    // Four observers, twelve units; units with one value do not count.
    const units = numbers(
      [1, 1, 1],
      [2, 2, 3, 2],
      [3, 3, 3, 3],
      [3, 3, 3, 3],
      [2, 2, 2, 2],
      [1, 2, 3, 4],
      [4, 4, 4, 4],
      [1, 1, 2, 1],
      [2, 2, 2, 2],
      [5, 5, 5],
      [1, 1],
      [3],
    )
    expect(measureAgreement(units, 'nominal').alpha).toBeCloseTo(0.743, 3)
    expect(measureAgreement(units, 'interval').alpha).toBeCloseTo(0.849, 3)
    expect(measureAgreement(units, 'nominal').items).toBe(11)
  })

  it.each([
    [
      [0.1, 0.1, 0.1],
      [0.1, 0.1, 0.1],
    ],
    [
      [0.1, 0.1],
      [0.1, 0.1],
      [0.1, 0.1],
    ],
  ])('has no alpha when all answers are the same number: nothing could differ', (...units) => {
    expect(measureAgreement(units, 'interval')).toEqual({ items: units.length, alpha: null, equalShare: 1 })
  })

  it.each([
    [
      'complete agreement',
      [
        ['a', 'a'],
        ['b', 'b'],
      ],
      1,
      1,
    ],
    [
      'complete disagreement',
      [
        ['a', 'b'],
        ['b', 'a'],
      ],
      -0.5,
      0,
    ],
    [
      'only equal answers',
      [
        ['a', 'a'],
        ['a', 'a'],
      ],
      null,
      1,
    ],
    ['no pairs', [['a'], ['b']], null, null],
    ['no answers', [], null, null],
  ] as const)('of %s', (_, units, alpha, equalShare) => {
    expect(measureAgreement(units, 'nominal')).toMatchObject({ alpha, equalShare })
  })
})
