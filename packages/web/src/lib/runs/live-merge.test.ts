import { describe, expect, it } from 'vitest'
import { addNews, admitAll, composeRows, type News, NO_NEWS, watermark } from './live-merge.ts'

const row = (id: string, second: number, status = 'success') => ({
  id,
  start_time: `2026-01-01T00:00:${String(second).padStart(2, '0')}.000000Z`,
  status,
})
type Row = ReturnType<typeof row>
const empty: News<Row> = NO_NEWS
const ids = (rows: readonly Row[]) => rows.map((one) => one.id).join(' ')

describe('merging live runs into a list', () => {
  it('keeps new runs waiting until they are let in', () => {
    const base = [row('b', 2), row('a', 1)]
    const news = addNews(empty, [row('d', 4), row('c', 3)], false)

    expect(ids(composeRows(base, news).rows)).toBe('b a')
    expect(ids(composeRows(base, news).waiting)).toBe('d c')
    expect(ids(composeRows(base, admitAll(news)).rows)).toBe('d c b a')
    expect(composeRows(base, admitAll(news)).waiting).toEqual([])
  })

  it('replaces a shown row in place', () => {
    const base = [row('b', 2, 'pending'), row('a', 1)]
    const news = addNews(empty, [row('b', 2)], false)

    const { rows, waiting } = composeRows(base, news)

    expect(rows.map((one) => one.status)).toEqual(['success', 'success'])
    expect(ids(rows)).toBe('b a')
    expect(waiting).toEqual([])
  })

  it('keeps the identity of rows that did not change', () => {
    const base = [row('b', 2), row('a', 1)]
    const news = addNews(empty, [row('b', 2), row('a', 1, 'error')], false)

    expect(composeRows(base, news).rows[0]).toBe(base[0])
    expect(addNews(news, [row('b', 2)], false)).toBe(news)
  })

  it('puts a late arrival where its start time belongs', () => {
    const news = admitAll(addNews(empty, [row('late', 2)], false))
    expect(ids(composeRows([row('c', 3), row('a', 1)], news).rows)).toBe('c late a')
  })

  it('never shows a run twice once a later page brings it', () => {
    const news = admitAll(addNews(empty, [row('late', 2)], false))
    expect(ids(composeRows([row('c', 3), row('late', 2), row('a', 1)], news).rows)).toBe('c late a')
  })

  it('reads again from a minute before the newest row', () => {
    expect(watermark([row('a', 1), row('b', 5)], 60_000)).toBe('2025-12-31T23:59:05.000Z')
    expect(watermark([], 60_000)).toBeUndefined()
  })
})
