import type { TracerSessionResult as Project } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { INITIAL_STATE, type ProjectsPageAction, reduceProjectsPage, sortProjects } from './projects-controller.ts'

const project = (name: string, figures?: Partial<Project>) => {
  const base = { name, start_time: '2026-01-01', last_run_start_time_live: null } as Project
  return { project: base, stats: figures && { ...base, ...figures } }
}
const names = (sort: string, ...rows: ReturnType<typeof project>[]) =>
  sortProjects(rows, sort)
    .map((row) => row.project.name)
    .join(' ')

describe('sorting projects', () => {
  const rows = [
    project('b', { run_count: 5, total_cost: '0.0001' }),
    project('waiting'),
    project('A', { run_count: 70, total_cost: null }),
    project('c', { run_count: 5, total_cost: '12' }),
  ]

  it.each([
    ['name', 'A b c waiting'],
    ['-name', 'waiting c b A'],
    ['-runs', 'A b c waiting'],
    ['runs', 'b c A waiting'],
    ['-cost', 'c b A waiting'],
    ['cost', 'b c A waiting'],
    ['nonsense', 'A b c waiting'],
  ])('by %s puts unknown values last', (sort, expected) => {
    expect(names(sort, ...rows)).toBe(expected)
  })
})

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
