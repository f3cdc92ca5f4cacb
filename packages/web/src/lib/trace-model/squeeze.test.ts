import { describe, expect, it } from 'vitest'
import { buildTrace } from './build-trace.ts'
import { floatAt } from './columns.ts'
import { fromSqueezed, squeezeGaps, squeezeTrace, toSqueezed } from './squeeze.ts'
import { aLargeTraceTree, aTraceTree } from './testing.ts'

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
  it('makes narrow what no working run fills, however long its parents wait', () => {
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

  it('finds its way back from every place', () => {
    const squeeze = squeezeGaps(waiting())!
    for (let micros = 0; micros <= 100_000_000; micros += 333_333) {
      expect(fromSqueezed(squeeze, toSqueezed(squeeze, micros))).toBeCloseTo(micros, 3)
    }
  })

  it('never changes the order of moments', () => {
    const squeeze = squeezeGaps(waiting())!
    let before = Number.NEGATIVE_INFINITY
    for (let micros = 0; micros <= 100_000_000; micros += 250_000) {
      const at = toSqueezed(squeeze, micros)
      expect(at).toBeGreaterThan(before)
      before = at
    }
  })

  it('is not offered where most of the time is work', () => {
    expect(squeezeGaps(buildTrace(aLargeTraceTree(1_000)))).toBeUndefined()
    expect(squeezeGaps(buildTrace(aTraceTree([])))).toBeUndefined()
  })
})
