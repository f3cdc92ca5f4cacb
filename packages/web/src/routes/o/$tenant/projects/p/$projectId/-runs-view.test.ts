import type { Run } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { isApiOrder, sortRows } from './-runs-view.ts'

const start = '2026-01-01T00:00:00.000000Z'
const runs = [
  { id: 'short', start_time: start, end_time: '2026-01-01T00:00:01.000000Z', total_cost: '0.2' },
  { id: 'running', start_time: start, end_time: null, total_cost: null },
  { id: 'long', start_time: start, end_time: '2026-01-01T00:00:09.000000Z', total_cost: '0.10' },
] as Run[]
const ids = (sort: string) => sortRows(runs, sort).map(({ id }) => id)

describe('sort loaded rows', () => {
  it('puts the largest value first or last, and rows without a value after all others', () => {
    expect(ids('-latency')).toEqual(['long', 'short', 'running'])
    expect(ids('latency')).toEqual(['short', 'long', 'running'])
  })

  it('compares costs as numbers', () => {
    expect(ids('-cost')).toEqual(['short', 'long', 'running'])
  })

  it('keeps the order of the API', () => {
    expect(ids('-start_time')).toEqual(['short', 'running', 'long'])
    expect([isApiOrder('-start_time'), isApiOrder('-cost')]).toEqual([true, false])
  })
})
