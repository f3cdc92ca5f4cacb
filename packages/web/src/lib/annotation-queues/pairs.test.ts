import { describe, expect, it } from 'vitest'
import { isSwapped, joinPairAnswer, splitPairAnswer, toPairQuestions, toPairs } from './pairs.ts'

const row = (id: string, example: string | null) => ({ item: { id }, run: { reference_example_id: example } })
const ids = (rows: ReturnType<typeof row>[], hasMore = false) =>
  toPairs(rows, hasMore).map(({ row: a, partner }) => a.item.id + (partner?.item.id ?? ''))

describe('the pairs of a pairwise queue', () => {
  it('are neighbors with the same example; others are alone', () => {
    expect(ids([row('a', '1'), row('b', '1'), row('c', '2'), row('d', '3'), row('e', '3'), row('f', null)])).toEqual([
      'ab',
      'c',
      'de',
      'f',
    ])
    expect(ids([row('a', null), row('b', null)])).toEqual(['a', 'b'])
  })

  it('leave out a last row whose partner may follow', () => {
    expect(ids([row('a', '1'), row('b', '1'), row('c', '2')], true)).toEqual(['ab'])
  })

  it('swap sides for about half of the items, always in the same way', () => {
    const swapped = Array.from({ length: 400 }, (_, at) => isSwapped(`0197f2a4-3c10-7d21-9b55-${at}`)).filter(Boolean)
    expect(swapped.length).toBeGreaterThan(140)
    expect(swapped.length).toBeLessThan(260)
    expect(isSwapped('x')).toBe(isSwapped('x'))
  })

  it('ask the rubric, or for a preference, and know which side is which', () => {
    const [preference] = toPairQuestions([], true)
    expect(preference).toMatchObject({ key: 'preference', isRequired: true })
    expect(preference?.options.map(({ value }) => value)).toEqual(['b', 'a', 'equal'])
    expect(toPairQuestions([{ feedback_key: 'tone', description: 'd' }], false)).toMatchObject([
      {
        key: 'tone',
        description: 'd',
        isRequired: false,
        options: [{ value: 'a' }, { value: 'b' }, { value: 'equal' }],
      },
    ])
  })

  it.each([
    ['a', 1, 0],
    ['b', 0, 1],
    ['equal', 0.5, 0.5],
  ])('store %s as %d and %d, and read it again', (value, a, b) => {
    const [first, second] = splitPairAnswer({ value, comment: 'why' })
    expect([first, second]).toEqual([
      { score: a, comment: 'why' },
      { score: b, comment: 'why' },
    ])
    expect(joinPairAnswer({ answer: first })).toEqual({ value, comment: 'why' })
  })

  it('keep a comment without an answer', () => {
    expect(splitPairAnswer({ comment: 'c' })).toEqual([{ comment: 'c' }, { comment: 'c' }])
  })
})
