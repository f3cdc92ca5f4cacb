import { uuid7 } from '@touchstone/contract'
import { describe, expect, it } from 'vitest'
import {
  formatTimeRange,
  isClockBackwards,
  msBetween,
  parseTimeRange,
  readIdTime,
  toBounds,
  widen,
} from './time-range.ts'

describe('a latency', () => {
  it('has microseconds and is never negative', () => {
    const [start_time, end_time] = ['2026-01-02T03:04:05.000001Z', '2026-01-02T03:04:06.000003Z']
    expect(msBetween(start_time, end_time)).toBe(1000.002)
    expect(msBetween(start_time, null)).toBeUndefined()
    expect(msBetween(end_time, start_time)).toBe(0)
    expect(isClockBackwards({ start_time, end_time })).toBe(false)
    expect(isClockBackwards({ start_time: end_time, end_time: start_time })).toBe(true)
    expect(isClockBackwards({ start_time, end_time: null })).toBe(false)
  })
})

describe('a time range in the URL', () => {
  it.each(['1h', '24h', '7d', '30d', 'all'] as const)('reads the preset %s', (preset) => {
    expect(parseTimeRange(preset)).toEqual({ preset })
  })

  it('reads any span that reaches to the present', () => {
    expect(parseTimeRange('90m')).toEqual({ lastMs: 5_400_000 })
    expect(toBounds('3d', Date.parse('2026-01-04T00:00:00Z'))).toEqual({ from: '2026-01-01T00:00:00.000Z' })
    expect([formatTimeRange('3d'), formatTimeRange('1w'), widen('3d')]).toEqual(['Last 3 days', 'Last week', '7d'])
  })

  it('keeps microseconds, so that a bucket ends with its last run', () => {
    const text = '2026-01-02T03:00:00.000Z..2026-01-02T03:59:59.999999Z'
    expect(parseTimeRange(text)).toEqual({ from: '2026-01-02T03:00:00.000Z', to: '2026-01-02T03:59:59.999999Z' })
  })

  it('reads two times, and ranges open at either end', () => {
    expect(parseTimeRange('2026-01-02T03:00:00Z..2026-01-02T04:00:00+01:00')).toEqual({
      from: '2026-01-02T03:00:00.000Z',
      to: '2026-01-02T03:00:00.000Z',
    })
    expect(parseTimeRange('2026-01-02T03:00:00Z..')).toEqual({ from: '2026-01-02T03:00:00.000Z', to: undefined })
    expect(parseTimeRange('..2026-01-02T03:00:00Z')).toEqual({ from: undefined, to: '2026-01-02T03:00:00.000Z' })
  })

  it.each(['', '..', '8x', '0d', 'yesterday..today', 'a..b..c'])('takes %j for no range', (text) => {
    expect(parseTimeRange(text)).toBeUndefined()
  })

  it('counts presets back from the moment the list was loaded', () => {
    const now = Date.parse('2026-01-02T00:00:00Z')
    expect(toBounds('24h', now)).toEqual({ from: '2026-01-01T00:00:00.000Z' })
    expect(toBounds('all', now)).toEqual({})
  })

  it('offers the next wider preset', () => {
    expect([widen('1h'), widen('30d'), widen('all'), widen('..2026-01-01')]).toEqual(['24h', 'all', undefined, 'all'])
    expect(formatTimeRange('7d')).toBe('Last 7 days')
  })
})

it('is read from version 7 ids only', () => {
  expect(readIdTime(uuid7(1_700_000_000_123))).toBe(1_700_000_000_123)
  expect(readIdTime('2b1f0f5e-6a0e-4f0a-8f0e-0f6f5a1b2c3d')).toBeUndefined()
  expect(readIdTime('nonsense')).toBeUndefined()
})
