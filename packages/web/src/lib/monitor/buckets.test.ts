import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gridOf, nextBucket, periodBefore, rangeOfBucket } from './buckets.ts'

const at = (iso: string) => Date.parse(iso)
const zone = process.env.TZ
beforeAll(() => {
  process.env.TZ = 'Europe/Berlin'
})
afterAll(() => {
  process.env.TZ = zone ?? 'UTC'
})

describe('buckets', () => {
  it('that are empty get a place between those that are not', () => {
    const starts = ['2026-03-01T02:00:00Z', '2026-03-01T00:00:00Z', '2026-03-01T05:00:00Z'].map(at)
    expect(gridOf(starts, '1h').map((ms) => new Date(ms).getUTCHours())).toEqual([0, 1, 2, 3, 4, 5])
    expect(gridOf([], '1h')).toEqual([])
  })

  it('do not appear twice where one is shorter than the others', () => {
    const starts = [at('2026-03-28T23:00:00Z'), at('2026-03-29T22:00:00Z')]
    expect(gridOf(starts, '1d')).toEqual(starts)
  })

  it('end where the next one begins', () => {
    expect(nextBucket(at('2026-03-01T00:00:00Z'), '15m')).toBe(at('2026-03-01T00:15:00Z'))
    expect(new Date(nextBucket(new Date(2026, 0, 31).getTime(), '1d')).getDate()).toBe(1)
    expect(new Date(nextBucket(new Date(2026, 0, 1).getTime(), '1M')).getMonth()).toBe(1)
  })

  it('are cut by the window, and end a microsecond before the next', () => {
    const bucket = at('2026-03-01T10:00:00Z')
    expect(rangeOfBucket(bucket, '1h', {})).toBe('2026-03-01T10:00:00.000Z..2026-03-01T10:59:59.999999Z')
    const window = { from: '2026-03-01T10:20:00.000Z', to: '2026-03-01T10:40:00.000Z' }
    expect(rangeOfBucket(bucket, '1h', window)).toBe(`${window.from}..${window.to}`)
  })
})

describe('the period before', () => {
  it('is as long as the window and ends where it begins', () => {
    const window = { from: '2026-03-08T00:00:00.000Z', to: '2026-03-15T00:00:00.000Z' }
    expect(periodBefore(window, 0)).toEqual({
      bounds: { from: '2026-03-01T00:00:00.000Z', to: '2026-03-07T23:59:59.999999Z' },
      shiftMs: 7 * 86_400_000,
    })
    expect(periodBefore({ to: window.to }, 0)).toBeUndefined()
  })
})
