import { describe, expect, it } from 'vitest'
import { RunsSearch } from './runs-search.ts'
import { isEdited, toRunsSearch, toViewState } from './view-state.ts'

describe('the state of a saved view', () => {
  const search = RunsSearch.parse({ filter: 'eq(name, "a")', t: '3d', scope: 'runs', peek: undefined, facets: '1' })

  it('keeps what decides the list, and no defaults', () => {
    expect(toViewState(search)).toEqual({ filter: 'eq(name, "a")', t: '3d', scope: 'runs' })
    expect(toViewState(RunsSearch.parse({}))).toEqual({})
  })

  it('opens as it was saved', () => {
    expect(toViewState({ ...search, ...toRunsSearch(toViewState(search)) })).toEqual(toViewState(search))
    expect(toRunsSearch({ scope: 'sideways', t: '1h' })).toMatchObject({ scope: 'traces', t: '1h', filter: undefined })
  })

  it('notices a change, and its undoing', () => {
    const state = toViewState(search)
    expect(isEdited(search, state)).toBe(false)
    expect(isEdited({ ...search, facets: undefined }, state)).toBe(false)
    expect(isEdited({ ...search, t: '7d' }, state)).toBe(true)
    expect(isEdited(RunsSearch.parse({}), { t: '7d' })).toBe(false)
  })
})
