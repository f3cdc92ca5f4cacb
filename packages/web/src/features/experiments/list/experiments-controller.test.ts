import { describe, expect, it } from 'vitest'
import { INITIAL_STATE, nextExperimentSort, reduceExperimentsPage, toCompared } from './experiments-controller.ts'

describe('selecting experiments', () => {
  it('keeps the order of selection, and a second toggle removes', () => {
    const actions = ['a', 'b', 'c', 'b'].map((id) => ({ kind: 'toggle' as const, id }))
    const state = actions.reduce(reduceExperimentsPage, INITIAL_STATE)
    expect([...state.selected]).toEqual(['a', 'c'])
    expect(reduceExperimentsPage(state, { kind: 'clear' }).selected.size).toBe(0)
  })

  it('opens and closes groups and dialogs', () => {
    const closed = reduceExperimentsPage(INITIAL_STATE, { kind: 'toggle-group', id: 'g' })
    expect([...closed.closedGroups]).toEqual(['g'])
    const open = reduceExperimentsPage(closed, { kind: 'open', dialog: { kind: 'delete', rows: [] } })
    expect(open.dialog?.kind).toBe('delete')
    expect(reduceExperimentsPage(open, { kind: 'close' }).dialog).toBeUndefined()
  })
})

describe('comparing the selected experiments', () => {
  it.each([
    [['a', 'b'], undefined, ['a', 'b']],
    [['a', 'b'], 'b', ['b', 'a']],
    [['a'], 'b', ['b', 'a']],
    [['b'], 'b', undefined],
    [['a'], undefined, undefined],
    [[], 'b', undefined],
    [['1', '2', '3', '4', '5', '6', '7'], undefined, undefined],
  ])('%j with the baseline %s opens %j', (selected, baseline, expected) => {
    expect(toCompared(selected, baseline)).toEqual(expected)
  })
})

describe('the sort after a click on a header', () => {
  it.each([
    ['-start_time', 'name', 'name'],
    ['name', 'name', '-name'],
    ['name', 'feedback:a', '-feedback:a'],
    ['-feedback:a', 'feedback:a', 'feedback:a'],
  ])('after %s on %s is %s', (current, column, expected) => {
    expect(nextExperimentSort(current, column)).toBe(expected)
  })
})
