import { describe, expect, it } from 'vitest'
import { buildTrace } from './build-trace.ts'
import { aLargeTraceTree, aTraceTree, type GivenRun } from './testing.ts'
import { findCriticalPath } from './times.ts'
import { nameAt } from './trace.ts'

const pathOf = (runs: GivenRun[]) => {
  const trace = buildTrace(aTraceTree(runs))
  return [...findCriticalPath(trace)].map((row) => nameAt(trace, row)).sort()
}

describe('the critical path', () => {
  it('contains consecutive runs, and the longest of parallel runs', () => {
    const path = pathOf([
      { id: 'root', at: [0, 100] },
      { id: 'plan', parent: 'root', at: [0, 20] },
      { id: 'fast', parent: 'root', at: [20, 40] },
      { id: 'slow', parent: 'root', at: [20, 80] },
      { id: 'inside slow', parent: 'slow', at: [30, 79] },
      { id: 'inside fast', parent: 'fast', at: [21, 22] },
      { id: 'answer', parent: 'root', at: [80, 99] },
    ])

    expect(path).toEqual(['answer', 'inside slow', 'plan', 'root', 'slow'])
  })

  it('tolerates small clock differences', () => {
    expect(
      pathOf([
        { id: 'root', at: [0, 100] },
        { id: 'a', parent: 'root', at: [0, 50.2] },
        { id: 'b', parent: 'root', at: [50, 100.1] },
      ]),
    ).toEqual(['a', 'b', 'root'])
  })

  it('is found in a trace of 50,000 runs', () => {
    expect(findCriticalPath(buildTrace(aLargeTraceTree(50_000))).size).toBeGreaterThan(5_000)
  })
})
