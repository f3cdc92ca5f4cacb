import { describe, expect, it } from 'vitest'
import { INITIAL_STATE, type ProjectsPageAction, reduceProjectsPage } from './-projects-controller.ts'

const reduce = (...actions: ProjectsPageAction[]) => actions.reduce(reduceProjectsPage, INITIAL_STATE)

describe('the state of the projects page', () => {
  it('selects a project on the first toggle and clears it on the second', () => {
    expect(reduce({ kind: 'toggle', id: 'a' }, { kind: 'toggle', id: 'b' }).selected).toEqual(new Set(['a', 'b']))
    expect(reduce({ kind: 'toggle', id: 'a' }, { kind: 'toggle', id: 'a' }).selected).toEqual(new Set())
  })

  it('keeps the selection and the active row while a dialog opens and closes', () => {
    const opened = reduce(
      { kind: 'activate', id: 'a' },
      { kind: 'toggle', id: 'b' },
      { kind: 'open', dialog: { kind: 'create' } },
    )
    expect(opened).toEqual({ activeId: 'a', selected: new Set(['b']), dialog: { kind: 'create' } })
    expect(reduceProjectsPage(opened, { kind: 'close' })).toEqual({ ...opened, dialog: undefined })
  })

  it('does not change a previous state', () => {
    reduce({ kind: 'toggle', id: 'a' })
    expect(INITIAL_STATE.selected.size).toBe(0)
  })
})
