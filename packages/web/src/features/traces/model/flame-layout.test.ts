import { describe, expect, it } from 'vitest'
import { floatAt, intAt } from '#lib/columns.ts'
import { buildTrace } from './build-trace.ts'
import { aLargeTraceTree, aTraceTree } from './testing.ts'
import { nameAt, shownEndAt, type Trace } from './trace.ts'

const levels = (trace: Trace) =>
  Object.fromEntries(Array.from(trace.level, (level, row) => [nameAt(trace, row), level]))

describe('placing runs in a flame chart', () => {
  it('keeps consecutive runs on one level below the parent', () => {
    const trace = buildTrace(
      aTraceTree([
        { id: 'root', at: [0, 10] },
        { id: 'a', parent: 'root', at: [0, 4] },
        { id: 'b', parent: 'root', at: [4, 9] },
        { id: 'inner', parent: 'b', at: [5, 6] },
      ]),
    )

    expect(levels(trace)).toEqual({ root: 0, a: 1, b: 1, inner: 2 })
    expect(trace.levels).toBe(3)
  })

  it('puts parallel subtrees into separate lanes', () => {
    const trace = buildTrace(
      aTraceTree([
        { id: 'root', at: [0, 10] },
        { id: 'a', parent: 'root', at: [0, 8] },
        { id: 'below a', parent: 'a', at: [1, 2] },
        { id: 'b', parent: 'root', at: [1, 5] },
        { id: 'c', parent: 'root', at: [6, 9] },
        { id: 'd', parent: 'root', at: [8, 9.5] },
      ]),
    )

    expect(levels(trace)).toEqual({ root: 0, a: 1, 'below a': 2, b: 3, c: 3, d: 1 })
  })

  it('counts a running run as busy to the end', () => {
    const trace = buildTrace(
      aTraceTree([
        { id: 'root', at: [0] },
        { id: 'running', parent: 'root', at: [0] },
        { id: 'later', parent: 'root', at: [50, 60] },
      ]),
    )

    expect(levels(trace)).toEqual({ root: 0, running: 1, later: 2 })
  })

  it.each([1, 2, 3, 4, 5])('never puts two runs that overlap on one level, in random trace %i', (seed) => {
    const random = randomOf(seed)
    const runs = Array.from({ length: 300 }, (_, i) => {
      const from = random() * 100
      return {
        id: `r${i}`,
        ...(i > 0 ? { parent: `r${Math.floor(random() * i)}` } : {}),
        at: [from, from + random() * 20] as [number, number],
      }
    })
    const trace = buildTrace(aTraceTree(runs))

    const onLevel = new Map<number, number[]>()
    trace.level.forEach((level, row) => {
      onLevel.set(level, [...(onLevel.get(level) ?? []), row])
    })
    for (const rows of onLevel.values()) {
      rows.sort((a, b) => floatAt(trace.start, a) - floatAt(trace.start, b))
      for (let i = 1; i < rows.length; i++) {
        expect(floatAt(trace.start, rows[i]!)).toBeGreaterThanOrEqual(shownEndAt(trace, rows[i - 1]!))
      }
    }
    trace.parent.forEach((above, row) => {
      if (above !== -1) expect(intAt(trace.level, row)).toBeGreaterThan(intAt(trace.level, above))
    })
  })

  it('places 50,000 runs, all at once or one after the other', () => {
    expect(buildTrace(aLargeTraceTree(50_000)).levels).toBe(3)
    const parallel = Array.from({ length: 50_000 }, (_, i) => ({
      id: `r${i}`,
      ...(i > 0 ? { parent: 'r0' } : {}),
      at: [0, 100] as [number, number],
    }))
    expect(buildTrace(aTraceTree(parallel)).levels).toBe(50_000)
  })
})

function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_769
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}
