import { describe, expect, it } from 'vitest'
import { addUpdates, composeRows, flushPending, getPollStart, type LiveUpdates, NO_UPDATES } from './live-merge.ts'

const row = (id: string, second: number, status = 'success') => ({
  id,
  start_time: `2026-01-01T00:00:${String(second).padStart(2, '0')}.000000Z`,
  status,
})
type Row = ReturnType<typeof row>
const empty: LiveUpdates<Row> = NO_UPDATES
const ids = (rows: readonly Row[]) => rows.map((one) => one.id).join(' ')

describe('merging live runs into a list', () => {
  it('keeps new runs pending until they are flushed', () => {
    const base = [row('b', 2), row('a', 1)]
    const updates = addUpdates(empty, [row('d', 4), row('c', 3)], false)

    expect(ids(composeRows(base, updates).rows)).toBe('b a')
    expect(ids(composeRows(base, updates).pendingRows)).toBe('d c')
    expect(ids(composeRows(base, flushPending(updates)).rows)).toBe('d c b a')
    expect(composeRows(base, flushPending(updates)).pendingRows).toEqual([])
  })

  it('replaces a shown row in place', () => {
    const base = [row('b', 2, 'pending'), row('a', 1)]
    const updates = addUpdates(empty, [row('b', 2)], false)

    const { rows, pendingRows } = composeRows(base, updates)

    expect(rows.map((one) => one.status)).toEqual(['success', 'success'])
    expect(ids(rows)).toBe('b a')
    expect(pendingRows).toEqual([])
  })

  it('keeps the identity of rows that did not change', () => {
    const base = [row('b', 2), row('a', 1)]
    const updates = addUpdates(empty, [row('b', 2), row('a', 1, 'error')], false)

    expect(composeRows(base, updates).rows[0]).toBe(base[0])
    expect(addUpdates(updates, [row('b', 2)], false)).toBe(updates)
  })

  it('sorts late runs in by start time', () => {
    const updates = flushPending(addUpdates(empty, [row('late', 2)], false))
    expect(ids(composeRows([row('c', 3), row('a', 1)], updates).rows)).toBe('c late a')
  })

  it('shows a run once when a later page contains it too', () => {
    const updates = flushPending(addUpdates(empty, [row('late', 2)], false))
    expect(ids(composeRows([row('c', 3), row('late', 2), row('a', 1)], updates).rows)).toBe('c late a')
  })

  it('polls from a minute before the newest row', () => {
    expect(getPollStart([row('a', 1), row('b', 5)], 60_000)).toBe('2025-12-31T23:59:05.000Z')
    expect(getPollStart([], 60_000)).toBeUndefined()
  })
})
