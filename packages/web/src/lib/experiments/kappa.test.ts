import { describe, expect, it } from 'vitest'
import { describeKappa, measureKappa } from './kappa.ts'

/** The ratings of a table of counts: `counts[i][j]` items got category i from the first and j from the second rater. */
function toRatings(counts: readonly (readonly number[])[]): [string, string][] {
  return counts.flatMap((row, i) =>
    row.flatMap((n, j) => Array.from({ length: n }, (): [string, string] => [`${i}`, `${j}`])),
  )
}

describe("Cohen's kappa", () => {
  it('corrects the agreement for chance', () => {
    const found = measureKappa(
      toRatings([
        [20, 5],
        [10, 15],
      ]),
    )
    expect(found).toMatchObject({ items: 50, equalShare: 0.7 })
    expect(found?.kappa).toBeCloseTo(0.4, 10)
    expect(found?.interval?.low).toBeCloseTo(0.1511, 3)
    expect(found?.interval?.high).toBeCloseTo(0.6489, 3)
  })

  it('has the published standard error of the three categories of Fleiss, Cohen and Everitt', () => {
    // Their example of two clinicians: 200 items, kappa 0.429, standard error 0.0534.
    const found = measureKappa(
      toRatings([
        [106, 10, 4],
        [22, 28, 10],
        [2, 12, 6],
      ]),
    )
    expect(found?.kappa).toBeCloseTo(0.4286, 3)
    const { low = 0, high = 0 } = found?.interval ?? {}
    expect((high - low) / 2 / 1.96).toBeCloseTo(0.0534, 3)
  })

  it('is 1 for full agreement, negative for the opposite, and undefined for a single rating', () => {
    expect(measureKappa(toRatings([[5, 0], [0, 5]]))).toMatchObject({ kappa: 1, interval: { low: 1, high: 1 } }) // biome-ignore format: a table
    expect(measureKappa(toRatings([[0, 5], [5, 0]]))?.kappa).toBe(-1) // biome-ignore format: a table
    expect(measureKappa([['a', 'a'], ['a', 'a']])).toMatchObject({ equalShare: 1, kappa: undefined }) // biome-ignore format: a table
    expect(measureKappa([['a', 'b']])?.interval).toBeUndefined()
    expect(measureKappa([])).toBeUndefined()
  })

  it.each([
    [-0.1, 'less than by chance'],
    [0.1, 'slight'],
    [0.4, 'fair'],
    [0.5, 'moderate'],
    [0.7, 'substantial'],
    [0.9, 'almost perfect'],
  ])('of %d is called %s', (kappa, word) => {
    expect(describeKappa(kappa)).toBe(word)
  })
})
