import { describe, expect, it } from 'vitest'
import { formatCountdown, getReservationState, shouldExtend } from './reservation.ts'

const MINUTE = 60_000
const hour = { untilMs: 60 * MINUTE, lengthMs: 60 * MINUTE }
const minute = { untilMs: MINUTE, lengthMs: MINUTE }

describe('a reservation', () => {
  it('warns in its last minute, or in the last half of a short one', () => {
    expect(getReservationState(hour, 58.9 * MINUTE)).toMatchObject({ kind: 'held', isEnding: false })
    expect(getReservationState(hour, 59 * MINUTE)).toEqual({ kind: 'held', remainingMs: MINUTE, isEnding: true })
    expect(getReservationState(minute, 20_000)).toMatchObject({ isEnding: false })
    expect(getReservationState(minute, 30_000)).toMatchObject({ isEnding: true })
    expect(getReservationState(minute, MINUTE)).toEqual({ kind: 'ended' })
  })

  it('is extended by activity after a tenth of its time, not when it has ended', () => {
    expect(shouldExtend(hour, 5 * MINUTE)).toBe(false)
    expect(shouldExtend(hour, 6 * MINUTE)).toBe(true)
    expect(shouldExtend(minute, 5_000)).toBe(false)
    expect(shouldExtend(minute, 6_000)).toBe(true)
    expect(shouldExtend(minute, MINUTE)).toBe(false)
  })

  it.each([
    [58 * MINUTE + 12_000, '58:12'],
    [62 * MINUTE + 5_000, '1:02:05'],
    [900, '0:01'],
    [-5, '0:00'],
  ])('shows %d ms as %s', (ms, text) => {
    expect(formatCountdown(ms)).toBe(text)
  })
})
