import { describe, expect, it } from 'vitest'
import {
  findNeighbors,
  type RowSelection,
  reduceSelection,
  resolveRowClick,
  type SelectionAction,
  startSelection,
} from './row-selection.ts'

const ids = ['a', 'b', 'c', 'd', 'e']

function select(start: RowSelection, ...actions: SelectionAction[]) {
  const { activeId, selectedIds } = actions.reduce(reduceSelection, start)
  return { activeId, selected: [...selectedIds].sort().join('') }
}

describe('the selection of a list', () => {
  it('toggles rows and makes them active', () => {
    const start = startSelection()
    expect(select(start, { type: 'toggle', id: 'b' })).toEqual({ activeId: 'b', selected: 'b' })
    expect(select(start, { type: 'toggle', id: 'b' }, { type: 'toggle', id: 'b' })).toEqual({
      activeId: 'b',
      selected: '',
    })
  })

  it('starts from the saved rows', () => {
    expect(select(startSelection('c', ['a', 'c']))).toEqual({ activeId: 'c', selected: 'ac' })
  })

  it.each([
    ['from the row toggled last', [{ type: 'toggle', id: 'b' }], 'd', 'bcd'],
    ['upwards', [{ type: 'toggle', id: 'd' }], 'b', 'bcd'],
    ['from the active row when none was toggled', [{ type: 'activate', id: 'c' }], 'd', 'cd'],
    [
      'from the active row when the last toggle removed the selection',
      [
        { type: 'toggle', id: 'b' },
        { type: 'toggle', id: 'b' },
        { type: 'activate', id: 'd' },
      ],
      'e',
      'de',
    ],
    ['from the first row when there is no active row', [], 'b', 'ab'],
  ] as [string, SelectionAction[], string, string][])('selects a range %s', (_, before, id, selected) => {
    expect(select(startSelection(), ...before, { type: 'selectRange', id, ids })).toEqual({ activeId: id, selected })
  })

  it('adds a range to the rows selected before', () => {
    const selected = select(
      startSelection(),
      { type: 'toggle', id: 'a' },
      { type: 'toggle', id: 'd' },
      { type: 'selectRange', id: 'e', ids },
    )
    expect(selected).toEqual({ activeId: 'e', selected: 'ade' })
  })

  it('selects all loaded rows, and none', () => {
    const all = { type: 'selectAll', ids } as const
    expect(select(startSelection('c'), all)).toEqual({ activeId: 'c', selected: 'abcde' })
    expect(select(startSelection('c'), all, { type: 'clear' })).toEqual({ activeId: 'c', selected: '' })
  })

  it('keeps its identity when the active row does not change', () => {
    const state = startSelection('a')
    expect(reduceSelection(state, { type: 'activate', id: 'a' })).toBe(state)
  })
})

describe('find the neighbors of a run', () => {
  it.each([
    ['a', { previous: undefined, next: 'b' }],
    ['c', { previous: 'b', next: 'd' }],
    ['e', { previous: 'd', next: undefined }],
    ['gone', { previous: undefined, next: undefined }],
  ])('of %s', (id, neighbors) => expect(findNeighbors(ids, id)).toEqual(neighbors))
})

describe('a click on a row', () => {
  const keys = { ctrlKey: false, metaKey: false, shiftKey: false }
  it.each([
    ['peeks', keys, false, 'peek'],
    ['selects a range with Shift', { ...keys, shiftKey: true }, false, 'selectRange'],
    ['opens a tab with Ctrl', { ...keys, ctrlKey: true }, false, 'openTab'],
    ['opens a tab with ⌘', { ...keys, metaKey: true }, false, 'openTab'],
    ['toggles while cards are being selected', { ...keys, ctrlKey: true }, true, 'toggle'],
  ] as const)('%s', (_, pressed, isSelecting, click) => expect(resolveRowClick(pressed, isSelecting)).toBe(click))
})
