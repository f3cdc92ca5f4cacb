import { describe, expect, it } from 'vitest'
import { buildTrace } from '../model/build-trace.ts'
import { aTraceTree, type GivenRun } from '../model/testing.ts'
import { findRow, idAt, type Trace } from '../model/trace.ts'
import { listVisibleRows } from '../model/visible-rows.ts'
import { ALL_OPEN, type FoldingAction, listParentIds, reduceFolding, toRowView } from './row-folding.ts'
import {
  findCloseCommand,
  findOpenCommand,
  findSelectionAfterCollapse,
  findSelectionAfterFold,
  findToggleCommand,
} from './use-trace-cursor.ts'

const runs: GivenRun[] = [
  { id: 'root', at: [0, 100] },
  { id: 'plan', parent: 'root', at: [1, 20] },
  { id: 'model', parent: 'plan', at: [2, 10] },
  ...[1, 2, 3, 4, 5].map((n): GivenRun => ({ id: `tool-${n}`, name: 'tool', parent: 'root', at: [20 + n, 21 + n] })),
]
const anEarlierRun: GivenRun = { id: 'earlier', parent: 'root', at: [0, 1] }
const trace = buildTrace(aTraceTree(runs))
const row = (id: string) => findRow(trace, id) ?? -1

function list(of: Trace, actions: readonly FoldingAction[], selected?: string) {
  const view = toRowView(of, actions.reduce(reduceFolding, ALL_OPEN), undefined, findRow(of, selected))
  return [...listVisibleRows(of, view)].map((entry) => (entry < 0 ? `fold ${~entry}` : idAt(of, entry)))
}

describe('folding of a trace', () => {
  it('folds similar siblings at first, and nothing else', () => {
    expect(list(trace, [])).toEqual(['root', 'plan', 'model', 'fold 0'])
  })

  it('collapses and expands runs', () => {
    const collapse: FoldingAction = { type: 'collapse', id: 'plan' }
    expect(list(trace, [collapse])).toEqual(['root', 'plan', 'fold 0'])
    expect(list(trace, [collapse, { type: 'expand', ids: ['plan'] }])).toEqual(['root', 'plan', 'model', 'fold 0'])
    expect(listParentIds(trace, 0)).toEqual(['root', 'plan'])
  })

  it('opens and closes folds, and shows all siblings without folding', () => {
    const open: FoldingAction = { type: 'setFold', id: 'tool-1', isOpen: true }
    expect(list(trace, [open])).toContain('tool-5')
    expect(list(trace, [open, { type: 'setFold', id: 'tool-1', isOpen: false }])).not.toContain('tool-5')
    expect(list(trace, [{ type: 'setFolding', isOn: false }])).not.toContain('fold 0')
  })

  it('always shows the selected run', () => {
    expect(list(trace, [{ type: 'collapse', id: 'plan' }], 'model')).toContain('model')
    expect(list(trace, [], 'tool-3')).toContain('tool-3')
  })

  it('stays valid while the trace grows', () => {
    const grown = buildTrace(aTraceTree([...runs.slice(0, -1), anEarlierRun]))
    expect(list(grown, [{ type: 'collapse', id: 'plan' }])).not.toContain('model')
  })
})

describe('keys in the list of a trace', () => {
  const view = (...actions: FoldingAction[]) =>
    toRowView(trace, actions.reduce(reduceFolding, ALL_OPEN), undefined, undefined)
  const fold = ~0

  it.each([
    ['an open run', view(), row('plan'), { type: 'next' }],
    ['a collapsed run', view({ type: 'collapse', id: 'plan' }), row('plan'), { type: 'expand', row: row('plan') }],
    ['a run without children', view(), row('model'), undefined],
    ['a closed fold', view(), fold, { type: 'toggleFold', fold: 0 }],
    ['an open fold', view({ type: 'setFold', id: 'tool-1', isOpen: true }), fold, { type: 'next' }],
  ])('open %s', (_, rows, entry, command) => expect(findOpenCommand(trace, rows, entry)).toEqual(command))

  it.each([
    ['an open run', view(), row('plan'), { type: 'collapse', row: row('plan') }],
    ['a run without children', view(), row('model'), { type: 'goTo', entry: row('plan') }],
    ['a closed fold', view(), fold, { type: 'goTo', entry: 0 }],
    ['an open fold', view({ type: 'setFold', id: 'tool-1', isOpen: true }), fold, { type: 'toggleFold', fold: 0 }],
    ['the collapsed root', view({ type: 'collapse', id: 'root' }), 0, undefined],
  ])('close %s', (_, rows, entry, command) => expect(findCloseCommand(trace, rows, entry)).toEqual(command))

  it.each([
    ['an open run', view(), row('plan'), { type: 'collapse', row: row('plan') }],
    ['a collapsed run', view({ type: 'collapse', id: 'plan' }), row('plan'), { type: 'expand', row: row('plan') }],
    ['a run without children', view(), row('model'), undefined],
    ['a closed fold', view(), fold, { type: 'toggleFold', fold: 0 }],
    ['an open fold', view({ type: 'setFold', id: 'tool-1', isOpen: true }), fold, { type: 'toggleFold', fold: 0 }],
  ])('toggle %s', (_, rows, entry, command) => expect(findToggleCommand(trace, rows, entry)).toEqual(command))

  it('move the selection out of what closes', () => {
    expect(findSelectionAfterCollapse(trace, row('plan'), row('model'))).toBe(row('plan'))
    expect(findSelectionAfterCollapse(trace, row('plan'), row('tool-1'))).toBeUndefined()
    expect(findSelectionAfterFold(trace, 0, row('tool-4'))).toBe(row('root'))
    expect(findSelectionAfterFold(trace, 0, row('plan'))).toBeUndefined()
  })
})
