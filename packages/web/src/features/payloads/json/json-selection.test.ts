import { describe, expect, it } from 'vitest'
import { findRowAction, reduceJsonSelection, START, wrapHit } from './json-selection.ts'

describe('the selection of a JSON view', () => {
  it.each([
    [5, 5],
    [-1, 0],
    [Number.MAX_SAFE_INTEGER, 9],
  ])('moves to row %i within ten rows', (row, cursor) => {
    expect(reduceJsonSelection(START, { type: 'move', row, rowCount: 10 }).cursor).toBe(cursor)
  })

  it('stays at the first row of an empty document', () => {
    expect(reduceJsonSelection(START, { type: 'move', row: 1, rowCount: 0 }).cursor).toBe(0)
  })

  it('highlights a revealed row until the cursor moves', () => {
    const revealed = reduceJsonSelection(START, { type: 'reveal', row: 3 })
    expect(revealed).toMatchObject({ cursor: 3, flash: 3 })
    expect(reduceJsonSelection(revealed, { type: 'pick', row: 4 }).flash).toBeUndefined()
    expect(reduceJsonSelection(revealed, { type: 'move', row: 4, rowCount: 10 }).flash).toBeUndefined()
  })

  it('starts a new search before the first hit', () => {
    const state = reduceJsonSelection(START, { type: 'goToHit', hit: 2 })
    expect(state.hit).toBe(2)
    expect(reduceJsonSelection(state, { type: 'newSearch' }).hit).toBe(-1)
  })
})

describe('the next hit', () => {
  it.each([
    [0, 3, 0],
    [3, 3, 0],
    [-2, 3, 1],
    [0, 0, undefined],
  ])('after wrapping %i of %i is %s', (hit, hitCount, wrapped) => expect(wrapHit(hit, hitCount)).toBe(wrapped))
})

describe('opening a row', () => {
  it.each([
    ['shows closed media', { media: 'image/png', open: false }, 'showMedia'],
    ['closes open media', { media: 'image/png', open: true }, 'toggle'],
    ['shows the rest of a long text', { what: 'more' }, 'showWhole'],
    ['toggles an object', { open: false }, 'toggle'],
    ['does nothing on a plain value', {}, undefined],
    ['does nothing on a row that is not loaded', undefined, undefined],
  ] as const)('%s', (_, row, action) => expect(findRowAction(row)).toBe(action))
})
