import { describe, expect, it } from 'vitest'
import {
  fitWindow,
  listTicks,
  panWindow,
  parseWindow,
  printWindow,
  toFraction,
  windowAround,
  zoomWindow,
} from './time-scale.ts'

const DURATION = 1_000_000

describe('the time window', () => {
  it('keeps the point zoomed at where it is', () => {
    const before = { from: 200_000, to: 600_000 }
    const after = zoomWindow(before, 2, DURATION, 300_000)
    expect(after.to - after.from).toBe(200_000)
    expect(toFraction(after, 300_000)).toBeCloseTo(toFraction(before, 300_000), 9)
  })

  it('never leaves the trace', () => {
    const whole = fitWindow(DURATION)
    expect(zoomWindow(whole, 0.1, DURATION)).toEqual(whole)
    expect(panWindow({ from: 100, to: 500_100 }, -5, DURATION).from).toBe(0)
    expect(panWindow({ from: 100, to: 500_100 }, 5, DURATION).to).toBe(whole.to)
    expect(zoomWindow(whole, 1e12, DURATION).to - zoomWindow(whole, 1e12, DURATION).from).toBeCloseTo(10, 6)
  })

  it('goes around a run with some air', () => {
    expect(windowAround(400_000, 500_000, DURATION)).toEqual({ from: 390_000, to: 510_000 })
  })

  it('survives the address bar', () => {
    const timeWindow = { from: 12_500, to: 480_000 }
    expect(printWindow(timeWindow, DURATION)).toBe('12.5-480')
    expect(parseWindow('12.5-480', DURATION)).toEqual(timeWindow)
    expect(printWindow(fitWindow(DURATION), DURATION)).toBeUndefined()
  })

  it.each(['', 'a-b', '5-2', '1-', undefined])('falls back to the whole trace for %j', (text) => {
    expect(parseWindow(text, DURATION)).toEqual(fitWindow(DURATION))
  })

  it.each([
    [{ from: 0, to: 1_000_000 }, 5, [0, 200_000, 400_000, 600_000, 800_000, 1_000_000]],
    [{ from: 130, to: 370 }, 3, [200, 300]],
    [{ from: 0, to: 90e6 }, 6, [0, 15e6, 30e6, 45e6, 60e6, 75e6, 90e6]],
  ])('of %o has round ticks', (timeWindow, count, expected) => expect(listTicks(timeWindow, count)).toEqual(expected))

  it('works for a trace without length', () => {
    expect(fitWindow(0).to).toBeGreaterThan(0)
    expect(listTicks(fitWindow(0), 5).length).toBeGreaterThan(0)
  })
})
