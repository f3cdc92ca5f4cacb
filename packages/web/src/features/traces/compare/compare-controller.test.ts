import { describe, expect, it } from 'vitest'
import { buildTrace } from '../model/build-trace.ts'
import { aTraceTree } from '../model/testing.ts'
import {
  buildCompareTree,
  type CompareTreeOptions,
  collapseOrLeave,
  expandOrEnter,
  getRunIds,
  moveSelection,
  selectDifference,
  selectRow,
  toggleRow,
} from './compare-controller.ts'
import { mergeTraces } from './merge-traces.ts'
import type { ComparedTraces } from './merged.ts'

function buildSide(leaf: string) {
  const runs = [
    { id: 'root', at: [0, 9] as [number, number] },
    { id: 'same', parent: 'root', at: [1, 2] as [number, number] },
    { id: 'branch', parent: 'root', at: [3, 8] as [number, number] },
    { id: leaf, parent: 'branch', at: [4, 5] as [number, number] },
  ]
  return { trace: buildTrace(aTraceTree(runs)), root: 0 }
}

// Rows: root, same, branch, old (only in A), new (only in B).
const [a, b] = [buildSide('old'), buildSide('new')]
const compared: ComparedTraces = { a: a.trace, b: b.trace, rootA: 0, rootB: 0, merged: mergeTraces(a, b) }

function build(selectedId?: string, options: Partial<CompareTreeOptions> = {}) {
  return buildCompareTree(compared, { selectedId, collapsedIds: new Set(), onlyDifferences: false, ...options })
}

describe('the tree of two compared runs', () => {
  it('selects the roots without a selected run, and a run of either side', () => {
    expect(build().selected).toBe(0)
    expect(build('unknown').selected).toBe(0)
    expect(build('old').selected).toBe(3)
    expect(build('new').selected).toBe(4)
  })

  it('hides the rows of a collapsed run, except above the selected row', () => {
    const collapsedIds = new Set(['branch'])
    expect([...build('root', { collapsedIds }).rows]).toEqual([0, 1, 2])
    expect([...build('old', { collapsedIds }).rows]).toEqual([0, 1, 2, 3, 4])
  })

  it('counts hidden equal steps', () => {
    const state = build('root', { onlyDifferences: true })
    expect([...state.rows]).toEqual([0, 2, 3, 4])
    expect(state.hiddenCount).toBe(1)
    expect(build().hiddenCount).toBe(0)
  })

  it('lists the run ids of a row', () => {
    expect(getRunIds(compared, 0)).toEqual({ a: 'root', b: 'root' })
    expect(getRunIds(compared, 3)).toEqual({ a: 'old', b: undefined })
    expect(getRunIds(compared, 4)).toEqual({ a: undefined, b: 'new' })
  })
})

describe('the commands of the tree', () => {
  it.each([
    ['root', 1, 'same'],
    ['root', -1, 'root'],
    ['branch', 20, 'new'],
  ])('from %s move by %d to %s', (from, by, expected) => {
    expect(moveSelection(build(from), by)).toEqual({ selectedId: expected })
  })

  it('select the next and the previous difference', () => {
    expect(selectDifference(build('root'), 1)).toEqual({ selectedId: 'old' })
    expect(selectDifference(build('root'), -1)).toEqual({ selectedId: 'new' })
  })

  it('change nothing without a row', () => {
    expect(selectRow(build(), undefined)).toEqual({})
    expect(expandOrEnter(build('same'))).toEqual({})
    expect(collapseOrLeave(build('root', { collapsedIds: new Set(['root']) }))).toEqual({})
  })

  it('collapse and expand a row, and select it instead of a row below', () => {
    expect(toggleRow(build('same'), 2)).toEqual({ collapsedIds: new Set(['branch']) })
    expect(toggleRow(build('old'), 2)).toEqual({ collapsedIds: new Set(['branch']), selectedId: 'branch' })
    expect(toggleRow(build('same', { collapsedIds: new Set(['branch']) }), 2)).toEqual({ collapsedIds: new Set() })
  })

  it('expand a row before they enter it, and collapse a row before they leave it', () => {
    expect(expandOrEnter(build('branch', { collapsedIds: new Set(['branch']) }))).toEqual({ collapsedIds: new Set() })
    expect(expandOrEnter(build('branch'))).toEqual({ selectedId: 'old' })
    expect(collapseOrLeave(build('branch'))).toEqual({ collapsedIds: new Set(['branch']) })
    expect(collapseOrLeave(build('branch', { collapsedIds: new Set(['branch']) }))).toEqual({ selectedId: 'root' })
  })
})
