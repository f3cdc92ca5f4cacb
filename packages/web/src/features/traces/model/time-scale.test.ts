import { describe, expect, it } from 'vitest'
import { floatAt } from '#lib/columns.ts'
import { buildTrace } from './build-trace.ts'
import { aLargeTraceTree, aTraceTree } from './testing.ts'
import {
  fitWindow,
  fromSqueezed,
  listTicks,
  panWindow,
  parseWindow,
  printWindow,
  squeezeGaps,
  squeezeTrace,
  toFraction,
  toSqueezed,
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

  it('surrounds a run with some space', () => {
    expect(windowAround(400_000, 500_000, DURATION)).toEqual({ from: 390_000, to: 510_000 })
  })

  it('is restored from the URL', () => {
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

const waiting = () =>
  buildTrace(
    aTraceTree([
      { id: 'root', at: [0, 100_000] },
      { id: 'ask', parent: 'root', at: [0, 100] },
      { id: 'wait', parent: 'root', at: [100, 90_000] },
      { id: 'inside', parent: 'wait', at: [50_000, 50_100] },
      { id: 'answer', parent: 'root', at: [99_900, 100_000] },
    ]),
  )

describe('squeezing the idle stretches of a trace', () => {
  it('squeezes the time in which only parents wait', () => {
    const trace = waiting()
    const { gaps, duration } = squeezeGaps(trace)!

    expect(gaps.map(({ from, to }) => [from / 1000, to / 1000])).toEqual([
      [100, 50_000],
      [50_100, 99_900],
    ])
    expect(duration).toBeLessThan(320_000)
    const shown = squeezeTrace(trace, squeezeGaps(trace)!)
    const lengthOf = (row: number) => Math.round(floatAt(shown.end, row) - floatAt(shown.start, row))
    expect([lengthOf(1), lengthOf(3), lengthOf(4)]).toEqual([100_000, 100_000, 100_000])
  })

  it('converts every position back to its time', () => {
    const squeeze = squeezeGaps(waiting())!
    for (let micros = 0; micros <= 100_000_000; micros += 333_333) {
      expect(fromSqueezed(squeeze, toSqueezed(squeeze, micros))).toBeCloseTo(micros, 3)
    }
  })

  it('keeps the order of times', () => {
    const squeeze = squeezeGaps(waiting())!
    let before = Number.NEGATIVE_INFINITY
    for (let micros = 0; micros <= 100_000_000; micros += 250_000) {
      const at = toSqueezed(squeeze, micros)
      expect(at).toBeGreaterThan(before)
      before = at
    }
  })

  it('is not offered when runs work most of the time', () => {
    expect(squeezeGaps(buildTrace(aLargeTraceTree(1_000)))).toBeUndefined()
    expect(squeezeGaps(buildTrace(aTraceTree([])))).toBeUndefined()
  })
})
