import { describe, expect, it } from 'vitest'
import { buildTrace } from '../model/build-trace.ts'
import { aTraceTree } from '../model/testing.ts'
import { mergeTraces } from './merge-traces.ts'
import { mergedAncestors, nextDifference, visibleMerged } from './merged.ts'

const side = (leaf: string) => ({
  trace: buildTrace(
    aTraceTree([
      { id: 'root', at: [0, 9] },
      { id: 'same', parent: 'root', at: [1, 2] },
      { id: 'branch', parent: 'root', at: [3, 8] },
      { id: leaf, parent: 'branch', at: [4, 5] },
    ]),
  ),
  root: 0,
})
// root, same, branch, then `new` (only in B) and `old` (only in A) in the order of the merge.
const merged = mergeTraces(side('old'), side('new'))

describe('the rows of two traces', () => {
  it('are all rows except those in closed subtrees', () => {
    expect([...visibleMerged(merged, new Set(), false)]).toEqual([0, 1, 2, 3, 4])
    expect([...visibleMerged(merged, new Set([2]), false)]).toEqual([0, 1, 2])
  })

  it('are only the differences and their ancestors, on request', () => {
    expect([...visibleMerged(merged, new Set(), true)]).toEqual([0, 2, 3, 4])
    const alike = mergeTraces(side('old'), side('old'))
    expect(visibleMerged(alike, new Set(), true)).toHaveLength(0)
    expect(nextDifference(alike, 0, 1)).toBeUndefined()
  })

  it('are stepped through from difference to difference, wrapping around', () => {
    expect([nextDifference(merged, 0, 1), nextDifference(merged, 4, 1), nextDifference(merged, 0, -1)]).toEqual([
      3, 3, 4,
    ])
    expect(mergedAncestors(merged, 3)).toEqual([2, 0])
  })
})
