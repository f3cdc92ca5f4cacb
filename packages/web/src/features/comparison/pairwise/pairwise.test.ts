import type { Feedback } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { type ComparisonCells, toComparisonCells } from '../logic/comparison.ts'
import {
  chooseSides,
  countPreferences,
  describeOrder,
  filterPairs,
  measureAgreement,
  signTest,
  toPairs,
} from './pairwise.ts'

/** Examples e0, e1, …; example i has the runs a-i and b-i, unless it is left out of B. */
function cellsOf(examples: number, { onlyA = 0, isLowerBetter = false } = {}): ComparisonCells {
  const runsOf = (side: string, count: number) => {
    const each = <T>(value: (at: number) => T) => Array.from({ length: count }, (_, at) => value(at))
    return {
      id: each((at) => `${side}-${at}`),
      example: each((at) => at),
      repetition: each(() => 0),
      status: each(() => 'success' as const),
      error: each(() => null),
      start_time: each(() => '2026-01-01T00:00:00.000000Z'),
      latency_ms: each(() => null),
      total_tokens: each(() => null),
      total_cost: each(() => null),
      reported_cost: each(() => null),
    }
  }
  return toComparisonCells({
    example_ids: Array.from({ length: examples }, (_, at) => `e${at}`),
    deleted_count: 0,
    splits: Array.from({ length: examples }, () => []),
    errors: [],
    experiments: [
      { id: 'A', name: 'A', runs: runsOf('a', examples), feedback: [] },
      { id: 'B', name: 'B', runs: runsOf('b', examples - onlyA), feedback: [] },
    ],
    keys: [{ key: 'length', is_lower_score_better: isLowerBetter, labels: [] }],
    omitted_keys: [],
    missing_session_ids: [],
  })
}

let ids = 0
/** Two records, as a judge gives them; with a person's name, a vote. */
function judge(example: number, [a, b]: readonly [number, number], { key = 'helpful', person = '' } = {}): Feedback[] {
  const feedback_source =
    person === '' ? { type: 'model', metadata: {} } : { type: 'app', metadata: {}, user_id: person }
  const record = (run_id: string, score: number) =>
    ({ id: `f${ids++}`, run_id, key, score, feedback_source }) as unknown as Feedback
  return [record(`a-${example}`, a), record(`b-${example}`, b)]
}

const SIDES = { a: 0, b: 1 }

describe('the pairs of a comparison', () => {
  it('count wins and ties, and skip examples that one side did not answer', () => {
    const records = [...judge(0, [1, 0]), ...judge(1, [0, 1]), ...judge(2, [1, 0]), ...judge(3, [0, 0])]
    const { rows, keys, unpaired } = toPairs(cellsOf(5, { onlyA: 1 }), SIDES, records, null)
    expect(rows.map(({ exampleId }) => exampleId)).toEqual(['e0', 'e1', 'e2', 'e3'])
    expect([keys, unpaired]).toEqual([['helpful'], 1])
    expect(countPreferences(rows, 'helpful')).toEqual({ a: 2, b: 1, tie: 1 })
    const swapped = toPairs(cellsOf(5), { a: 1, b: 0 }, records, null)
    expect(countPreferences(swapped.rows, 'helpful')).toEqual({ a: 1, b: 2, tie: 1 })
  })

  it('prefer the lower score where lower is better', () => {
    const cells = cellsOf(1, { isLowerBetter: true })
    const { rows } = toPairs(cells, SIDES, judge(0, [300, 100], { key: 'length' }), null)
    expect(rows[0]?.verdicts.get('length')?.all?.preference).toBe('b')
  })

  it('keep people and judges apart, and count both in the whole', () => {
    const records = [
      ...judge(0, [1, 0]),
      ...judge(0, [0, 1], { person: 'ann' }),
      ...judge(0, [0, 1], { person: 'bob' }),
      ...judge(0, [0.5, 0.5], { person: 'eve' }),
    ]
    const { rows } = toPairs(cellsOf(1), SIDES, records, 'eve')
    expect(rows[0]?.verdicts.get('helpful')).toMatchObject({
      all: { preference: 'b' },
      judges: { preference: 'a', a: 1, b: 0 },
      people: 'b',
      voters: 3,
      mine: 'tie',
    })
  })

  it('know the votes of a reader of a server without accounts', () => {
    const records = judge(0, [1, 0], { person: 'x' }).map((record) => ({
      ...record,
      feedback_source: { type: 'app', metadata: {}, user_id: null },
    })) as unknown as Feedback[]
    expect(toPairs(cellsOf(1), SIDES, records, null).rows[0]?.verdicts.get('helpful')?.mine).toBe('a')
  })

  it('are filtered by outcome, by keys that disagree, and by people who differ from the judges', () => {
    const records = [
      ...judge(0, [1, 0]),
      ...judge(0, [0, 1], { key: 'tone' }),
      ...judge(1, [0, 1]),
      ...judge(1, [1, 0], { person: 'ann' }),
      ...judge(2, [1, 1]),
    ]
    const { rows } = toPairs(cellsOf(3), SIDES, records, null)
    const find = (filter: Parameters<typeof filterPairs>[1]) =>
      filterPairs(rows, filter, 'helpful').map(({ exampleId }) => exampleId)
    expect(find(undefined)).toEqual(['e0', 'e1', 'e2'])
    expect(find('a')).toEqual(['e0'])
    expect(find('tie')).toEqual(['e1', 'e2'])
    expect(find('disagree')).toEqual(['e0'])
    expect(find('people')).toEqual(['e1'])
  })

  it('have a low margin when both sides score almost the same, by the range of the scores under the key', () => {
    const records = [
      ...judge(0, [0.6, 0.4]),
      ...judge(1, [1, 0]),
      ...judge(2, [0.65, 0.4]),
      ...judge(3, [0.5, 0.5]),
      ...judge(4, [5, 4], { key: 'tone' }),
      ...judge(1, [5, 0], { key: 'tone' }),
    ]
    const { rows } = toPairs(cellsOf(5), SIDES, records, null)
    const find = (key: string | undefined) => filterPairs(rows, 'close', key).map(({ exampleId }) => exampleId)
    expect(find('helpful')).toEqual(['e0', 'e3'])
    expect(find('tone')).toEqual(['e4'])
    expect(find(undefined)).toEqual([])
  })

  it('measure the agreement over pairs that both judged', () => {
    const records = [
      ...judge(0, [1, 0]),
      ...judge(0, [1, 0], { person: 'ann' }),
      ...judge(1, [0, 1]),
      ...judge(1, [0, 1], { person: 'ann' }),
      ...judge(2, [0, 1]),
    ]
    const { rows } = toPairs(cellsOf(3), SIDES, records, null)
    expect(measureAgreement(rows, 'helpful')).toMatchObject({ items: 2, equalShare: 1, kappa: 1 })
    expect(measureAgreement(rows, 'tone')).toBeUndefined()
  })
})

describe('a comparison', () => {
  it('has the sides of the URL, otherwise its first two experiments', () => {
    const experiments = [{ id: 'x' }, { id: 'y' }, { id: 'z' }]
    expect(chooseSides(['z', 'x'], experiments)).toEqual({ a: 'z', b: 'x' })
    expect(chooseSides(['z'], experiments)).toEqual({ a: 'x', b: 'y' })
    expect(chooseSides([], [])).toEqual({ a: undefined, b: undefined })
  })

  it.each([
    [{ metadata: { randomize_order: true } }, 'Order randomized'],
    [{ metadata: { randomize_order: false } }, 'Order not randomized'],
    [{ metadata: null }, 'Order not recorded'],
    [null, 'Order not recorded'],
  ])('with %j has the words on its order', (extra, words) => {
    expect(describeOrder(extra)).toBe(words)
  })
})

describe('the sign test', () => {
  it.each([
    [5, 0, 0.0625],
    [0, 6, 0.03125],
    [8, 2, 0.109375],
    [10, 10, 1],
    [1, 0, 1],
  ])('of %d wins and %d losses has the exact p value', (wins, losses, p) => {
    expect(signTest(wins, losses)).toBeCloseTo(p, 10)
  })

  it('is symmetric, and works with thousands of pairs', () => {
    expect(signTest(58, 30)).toBeCloseTo(signTest(30, 58) ?? Number.NaN, 12)
    expect(signTest(58, 30)).toBeCloseTo(0.003_74, 4)
    expect(signTest(2000, 1990)).toBeGreaterThan(0.8)
    expect(signTest(4000, 1000)).toBeLessThan(1e-100)
  })

  it('is undefined without a decided pair', () => {
    expect(signTest(0, 0)).toBeUndefined()
  })
})
