import { describe, expect, it } from 'vitest'
import {
  describeAlpha,
  EMPTY_SESSION,
  findLastDone,
  getMedianMs,
  getOpenItem,
  isLow,
  listNext,
  type ReviewSession,
  reduceSession,
  type SessionAction,
} from './review-session.ts'

type Step = SessionAction extends infer One
  ? One extends { nowMs: number }
    ? Omit<One, 'nowMs'> & { nowMs?: number }
    : never
  : never

/** The state after the steps, a second apart. */
function after(...steps: Step[]): ReviewSession {
  return steps.reduce<ReviewSession>(
    (session, step, at) => reduceSession(session, { nowMs: at * 1000, ...step } as SessionAction),
    EMPTY_SESSION,
  )
}
const loaded: Step = { kind: 'loaded', ids: ['a', 'b', 'c'] }

describe('a review session', () => {
  it('opens the first item and knows the next ones', () => {
    const session = after(loaded)
    expect(getOpenItem(session)).toBe('a')
    expect(listNext(session, 2)).toEqual(['b', 'c'])
  })

  it('opens the item of the URL first, and the others after it', () => {
    const session = after({ kind: 'open', id: 'b' }, loaded, { kind: 'done' })
    expect(getOpenItem(session)).toBe('a')
    expect(listNext(session, 5)).toEqual(['c'])
  })

  it('goes to the next item when one is done, and ends after the last', () => {
    expect(getOpenItem(after(loaded, { kind: 'done' }))).toBe('b')
    const end = after(loaded, { kind: 'done' }, { kind: 'done' }, { kind: 'done' })
    expect(getOpenItem(end)).toBeUndefined()
    expect([...end.done]).toEqual(['a', 'b', 'c'])
  })

  it('puts a skipped item at the end', () => {
    const session = after(loaded, { kind: 'skip' })
    expect(getOpenItem(session)).toBe('b')
    expect(listNext(session, 5)).toEqual(['c', 'a'])
    expect(getOpenItem(after({ kind: 'loaded', ids: ['only'] }, { kind: 'skip' }))).toBe('only')
  })

  it('shows items that arrive later before skipped ones, and skipped ones again after them', () => {
    const session = after(loaded, { kind: 'skip' }, { kind: 'skip' }, { kind: 'loaded', ids: ['a', 'b', 'c', 'd'] })
    expect(getOpenItem(session)).toBe('c')
    expect(listNext(session, 5)).toEqual(['d', 'a', 'b'])
    const end = [1, 2, 3].reduce((before) => reduceSession(before, { kind: 'done', nowMs: 9 }), session)
    expect(getOpenItem(end)).toBe('b')
    expect(end.skipped).toEqual([])
  })

  it('reads more items before all of them were shown, however many were skipped', () => {
    expect(isLow(after(loaded), 2)).toBe(false)
    const skipped = after(loaded, { kind: 'skip' })
    expect(isLow(skipped, 2)).toBe(true)
    expect(skipped.skips).toBe(1)
  })

  it('skips a certain item only while it is open', () => {
    const moved = after(loaded, { kind: 'done' }, { kind: 'lost', id: 'a' }, { kind: 'skip', id: 'a' })
    expect(getOpenItem(moved)).toBe('b')
    expect(getOpenItem(after(loaded, { kind: 'lost', id: 'a' }, { kind: 'skip', id: 'a' }))).toBe('b')
  })

  it('walks back and forward over completed items without skipping them', () => {
    const back = after(loaded, { kind: 'done' }, { kind: 'previous' })
    expect(getOpenItem(back)).toBe('a')
    expect(getOpenItem(reduceSession(back, { kind: 'skip', nowMs: 9 }))).toBe('b')
    expect(getOpenItem(reduceSession(back, { kind: 'previous', nowMs: 9 }))).toBe('a')
    expect(getOpenItem(after({ kind: 'loaded', ids: ['a'] }, { kind: 'done' }, { kind: 'previous' }))).toBe('a')
  })

  it('reopens the item that was completed last, also from the end', () => {
    const session = after({ kind: 'loaded', ids: ['a', 'b'] }, { kind: 'done' }, { kind: 'done' })
    expect(findLastDone(session)).toBe('b')
    const undone = reduceSession(session, { kind: 'undo', nowMs: 9_000 })
    expect(getOpenItem(undone)).toBe('b')
    expect([...undone.done]).toEqual(['a'])
    const again = reduceSession(undone, { kind: 'done', nowMs: 10_000 })
    expect(getOpenItem(again)).toBeUndefined()
    expect(getOpenItem(after({ kind: 'undo' }))).toBeUndefined()
  })

  it('returns to where it was after an undone item is completed again', () => {
    const session = after(loaded, { kind: 'done' }, { kind: 'undo' }, { kind: 'done' })
    expect(getOpenItem(session)).toBe('b')
  })

  it('does not list items that are known, done or taken by others again', () => {
    const session = after(
      loaded,
      { kind: 'done' },
      { kind: 'lost', id: 'c' },
      { kind: 'loaded', ids: ['a', 'b', 'c', 'd'] },
    )
    expect(listNext(session, 5)).toEqual(['d'])
  })

  it('stays on an item that others took, and passes it', () => {
    const session = after(loaded, { kind: 'lost', id: 'a' })
    expect(getOpenItem(session)).toBe('a')
    const next = reduceSession(session, { kind: 'skip', nowMs: 1 })
    expect(getOpenItem(next)).toBe('b')
    expect(listNext(next, 5)).toEqual(['c'])
  })

  it('does not count an item that could not be completed, and opens it again', () => {
    const session = after(loaded, { kind: 'done' }, { kind: 'failed', id: 'a' })
    expect([...session.done]).toEqual([])
    expect(getOpenItem(reduceSession(session, { kind: 'open', id: 'a', nowMs: 1 }))).toBe('a')
  })

  it('continues when items arrive after the end', () => {
    const session = after({ kind: 'loaded', ids: ['a'] }, { kind: 'done' }, { kind: 'loaded', ids: ['b'] })
    expect(getOpenItem(session)).toBe('b')
  })

  it('knows the median time per item, without breaks', () => {
    expect(getMedianMs(EMPTY_SESSION)).toBeUndefined()
    const session = after(loaded, { kind: 'done', nowMs: 2_000 }, { kind: 'done', nowMs: 8_000 })
    expect(getMedianMs(session)).toBe(4_000)
    const long = reduceSession(session, { kind: 'done', nowMs: 8_000 + 31 * 60_000 })
    expect(getMedianMs(long)).toBe(4_000)
  })
})

describe('the agreement in words', () => {
  it.each([
    [null, 0, 'no item with two answers'],
    [null, 4, 'all answers are equal'],
    [0.9, 4, 'reliable'],
    [0.7, 4, 'acceptable for tentative conclusions'],
    [0.2, 4, 'too low to rely on'],
    [-0.1, 4, 'no better than chance'],
  ])('%s over %d items: %s', (alpha, items, words) => {
    expect(describeAlpha(alpha, items)).toBe(words)
  })
})
