import { describe, expect, it } from 'vitest'
import { describeKappa, measureKappa } from './kappa.ts'

/** The ratings of a table of counts: `counts[i][j]` items got category i from the first and j from the second rater. */
function toRatings(counts: readonly (readonly number[])[]): [string, string][] {
  return counts.flatMap((row, i) =>
    row.flatMap((n, j) => Array.from({ length: n }, (): [string, string] => [`${i}`, `${j}`])),
  )
}

/** Kappa of a table of shares, which need not add up to 1. */
function toKappa(shares: readonly (readonly number[])[]): number {
  const row = shares.map((one) => one.reduce((sum, share) => sum + share, 0))
  const column = shares.map((_, j) => shares.reduce((sum, one) => sum + (one[j] ?? 0), 0))
  const observed = shares.reduce((sum, one, i) => sum + (one[i] ?? 0), 0)
  const expected = row.reduce((sum, share, i) => sum + share * (column[i] ?? 0), 0)
  return (observed - expected) / (1 - expected)
}

/** Standard error by the delta method: the variance of the derivatives by each share, over the number of items. */
function deriveError(counts: readonly (readonly number[])[]): number {
  const items = counts.flat().reduce((sum, n) => sum + n, 0)
  const shares = counts.map((row) => row.map((n) => n / items))
  const change = (i: number, j: number, by: number) =>
    toKappa(shares.map((row, at) => row.map((share, to) => (at === i && to === j ? share + by : share))))
  const step = 1e-6
  const slopes = shares.map((row, i) => row.map((_, j) => (change(i, j, step) - change(i, j, -step)) / (2 * step)))
  const weigh = (value: (slope: number) => number) =>
    shares.reduce((sum, row, i) => sum + row.reduce((part, p, j) => part + p * value(slopes[i]?.[j] ?? 0), 0), 0)
  return Math.sqrt((weigh((slope) => slope ** 2) - weigh((slope) => slope) ** 2) / items)
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

  it('has the standard error of the delta method, computed here from numerical derivatives', () => {
    const counts = [
      [106, 10, 4],
      [22, 28, 10],
      [2, 12, 6],
    ]
    const found = measureKappa(toRatings(counts))
    expect(found?.kappa).toBeCloseTo(3 / 7, 10)
    const { low = 0, high = 0 } = found?.interval ?? {}
    expect((high - low) / 2 / 1.959_963_985).toBeCloseTo(deriveError(counts), 6)
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
