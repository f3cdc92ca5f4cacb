import { describe, expect, it } from 'vitest'
import { readNaturalTime } from './natural-time.ts'
import { parseTimeRange } from './time-range.ts'

/** A Saturday, 15:30 local time. */
const NOW = new Date(2026, 10, 21, 15, 30).getTime()
const local = (month: number, day: number, hour = 0, minute = 0) =>
  new Date(2026, month - 1, day, hour, minute).toISOString()
const endOf = (month: number, day: number) => new Date(new Date(2026, month - 1, day + 1).getTime() - 1).toISOString()

describe('time ranges in words', () => {
  it.each([
    ['last 3 days', '3d'],
    ['Past 90 minutes', '90m'],
    ['12h', '12h'],
    ['2 weeks', '2w'],
    ['all time', 'all'],
    ['today', `${local(11, 21)}..${endOf(11, 21)}`],
    ['yesterday', `${local(11, 20)}..${endOf(11, 20)}`],
    ['yesterday 14:00-15:00', `${local(11, 20, 14)}..${local(11, 20, 15)}`],
    ['yesterday 2pm to 3:30pm', `${local(11, 20, 14)}..${local(11, 20, 15, 30)}`],
    ['14:00 - 15:00', `${local(11, 21, 14)}..${local(11, 21, 15)}`],
    ['since yesterday', `${local(11, 20)}..`],
    ['since 14:00', `${local(11, 21, 14)}..`],
    ['until nov 2', `..${local(11, 2)}`],
    ['monday', `${local(11, 16)}..${endOf(11, 16)}`],
    ['this week', `${local(11, 16)}..`],
    ['last month', `${local(10, 1)}..${endOf(10, 31)}`],
    ['nov 20', `${local(11, 20)}..${endOf(11, 20)}`],
    ['3 nov 2026', `${local(11, 3)}..${endOf(11, 3)}`],
    ['2026-11-18', `${local(11, 18)}..${endOf(11, 18)}`],
    ['2026-11-18 to 2026-11-19', `${local(11, 18)}..${endOf(11, 19)}`],
    ['2026-11-18 14:00 - 16:30', `${local(11, 18, 14)}..${local(11, 18, 16, 30)}`],
    ['2026-11-18 22:00 to 2026-11-19 02:00', `${local(11, 18, 22)}..${local(11, 19, 2)}`],
  ])('%s', (text, range) => {
    const read = readNaturalTime(text, NOW)
    expect(read).toBe(range)
    expect(parseTimeRange(read!)).toBeDefined()
  })

  it("reads a future date as last year's", () => {
    expect(readNaturalTime('dec 24', NOW)).toContain('2025-12')
  })

  it.each(['', 'soon', 'last', '25:00', '3 parsecs', 'feb 30', '15:00-14:00', '2026-13-01'])(
    'does not know %j',
    (text) => {
      expect(readNaturalTime(text, NOW)).toBeUndefined()
    },
  )
})
