import { describe, expect, it } from 'vitest'
import { countFewestPairs, decideVerdict } from './compare-experiments.ts'
import { compareKey } from './compare-key.ts'

function cells(scores: readonly (readonly number[])[]) {
  const mean = (of: readonly number[]) => of.reduce((sum, one) => sum + one, 0) / of.length
  return {
    counts: Float64Array.from(scores, (of) => of.length),
    means: Float64Array.from(scores, (of) => (of.length === 0 ? 0 : mean(of))),
    squares: Float64Array.from(scores, (of) => of.reduce((sum, one) => sum + (one - mean(of)) ** 2, 0)),
  }
}

const each = (count: number, score: (at: number) => number) => Array.from({ length: count }, (_, at) => [score(at)])
const options = { confidence: 0.95, power: 0.8, resamples: 500, seed: 0, isLowerBetter: false }
const pause = () => Promise.resolve()

async function compare(before: number[][], after: number[][], more: Partial<typeof options> = {}) {
  const figures = await compareKey(cells(before), cells(after), { ...options, ...more, pause })
  return { ...figures, ...decideVerdict(figures, figures.p_value, 0.95) }
}

describe('comparison of a key', () => {
  it('is computed when every example improves by the same amount', async () => {
    const found = await compare(
      each(40, (at) => at / 10),
      each(40, (at) => at / 10 + 0.1),
    )
    expect(found).toMatchObject({
      tests: { paired_t: null, mcnemar: null },
      decided_by: 'wilcoxon',
      difference: { standard_deviation: 0, interval: { low: 0.1, high: 0.1, method: 'percentile' }, effect_size: null },
      minimum_detectable_effect: null,
      verdict: 'better',
    })
  })

  it('shows no difference between equal scores', async () => {
    const same = each(40, (at) => at % 7)
    expect(await compare(same, same)).toMatchObject({
      tests: { paired_t: null, wilcoxon: null },
      decided_by: null,
      p_value: 1,
      verdict: 'no difference shown',
    })
  })

  it('is decided by ranks below thirty pairs, otherwise by means', async () => {
    const noisy = (at: number) => Math.sin(at * 1.7)
    const with29 = await compare(
      each(29, noisy),
      each(29, (at) => noisy(at + 3)),
    )
    const with30 = await compare(
      each(30, noisy),
      each(30, (at) => noisy(at + 3)),
    )
    expect([with29.decided_by, with30.decided_by]).toEqual(['wilcoxon', 'paired_t'])
  })

  it('is not binary when repetitions differ, or when other numbers have a mean of one', async () => {
    const zeros = each(10, () => 0)
    expect(
      (
        await compare(
          zeros,
          each(10, () => 1),
        )
      ).is_binary,
    ).toBe(true)
    expect((await compare(zeros, [...each(9, () => 1), [0, 1]])).is_binary).toBe(false)
    expect((await compare(zeros, [...each(9, () => 1), [0, 2]])).is_binary).toBe(false)
  })

  it('ignores rounding in differences and ranks', async () => {
    const found = await compare([[0.1, 0.2], [0.2], [0.1], [0.3, 0.3, 0.3]], [[0.2, 0.1], [0.3], [0.2], [0.3]])
    expect(found).toMatchObject({ wins: 2, losses: 0, ties: 2 })
    expect(found.tests.wilcoxon).toMatchObject({ statistic: 0, p_value: 0.5 })
    expect(found.difference.mean).toBe(0.05)
  })

  it('has no figures without pairs, and few figures with one pair', async () => {
    expect(await compare([], [])).toMatchObject({
      pair_count: 0,
      p_value: null,
      difference: { mean: null, interval: null },
      verdict: 'not enough data',
    })
    expect(await compare([[1]], [[2]])).toMatchObject({
      difference: { mean: 1, standard_deviation: null, interval: null },
      verdict: 'not enough data',
      reason: '1 example is scored in both; at least 6 are needed to show a difference.',
    })
  })

  it('pauses during the bootstrap', async () => {
    let pauses = 0
    await compareKey(cells(each(10_000, (at) => at % 3)), cells(each(10_000, (at) => at % 5)), {
      ...options,
      resamples: 2000,
      pause: async () => {
        pauses++
      },
    })
    expect(pauses).toBeGreaterThanOrEqual(9)
  })
})

describe('the smallest number of pairs', () => {
  it.each([
    [0.95, 6],
    [0.99, 8],
    [0.9, 5],
    [0.5, 2],
    [0.75, 3],
  ])('at %f is %i', (confidence, pairs) => {
    expect(countFewestPairs(confidence)).toBe(pairs)
  })
})
