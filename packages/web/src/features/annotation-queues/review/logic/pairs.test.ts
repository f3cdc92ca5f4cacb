import { describe, expect, it } from 'vitest'
import { countUnits } from '../../count-units.ts'
import { isSwapped, joinPairAnswer, splitPairAnswer, toPairQuestions, toPairs } from './pairs.ts'

/** Rows with ids in upper case are of another experiment. */
const row = (id: string, example: string | null) => ({
  item: { id, project_id: id === id.toLowerCase() ? 'one' : 'other' },
  run: { reference_example_id: example },
})
const ids = (rows: ReturnType<typeof row>[], hasMore = false) =>
  toPairs(rows, hasMore).map(({ row: a, partner }) => a.item.id + (partner?.item.id ?? ''))

describe('the pairs of a pairwise queue', () => {
  it('are neighbors with the same example; others are alone', () => {
    expect(ids([row('a', '1'), row('B', '1'), row('c', '2'), row('d', '3'), row('E', '3'), row('f', null)])).toEqual([
      'aB',
      'c',
      'dE',
      'f',
    ])
    expect(ids([row('a', null), row('B', null)])).toEqual(['a', 'B'])
  })

  it('are never two repetitions of one experiment', () => {
    const rows = [row('a', '1'), row('B', '1'), row('c', '1'), row('d', '1'), row('e', '2'), row('F', '2')]
    expect(ids(rows)).toEqual(['aB', 'c', 'd', 'eF'])
  })

  it('leave out a last row whose partner may follow', () => {
    expect(ids([row('a', '1'), row('B', '1'), row('c', '2')], true)).toEqual(['aB'])
  })

  it('count once in the progress of their queue', () => {
    const progress = {
      ...{ queue_id: 'q', last_reviewed_time: null, needs_my_review: 61, needs_others_review: 4 },
      ...{ completed: 5, completed_by_me: 3, reserved: 2 },
    }
    expect(countUnits({ queue_type: 'single' }, progress)).toBe(progress)
    expect(countUnits({ queue_type: 'pairwise' }, progress)).toMatchObject({
      ...{ needs_my_review: 31, needs_others_review: 2, completed: 2, completed_by_me: 1, reserved: 1 },
    })
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
