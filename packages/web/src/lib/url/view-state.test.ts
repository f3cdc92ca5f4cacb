import { describe, expect, it } from 'vitest'
import { RunsSearch } from './runs-search.ts'
import { isEdited, searchOfState, stateOf } from './view-state.ts'

describe('the state of a saved view', () => {
  const search = RunsSearch.parse({ filter: 'eq(name, "a")', t: '3d', scope: 'runs', peek: undefined, facets: '1' })

  it('keeps what decides the list, and no defaults', () => {
    expect(stateOf(search)).toEqual({ filter: 'eq(name, "a")', t: '3d', scope: 'runs' })
    expect(stateOf(RunsSearch.parse({}))).toEqual({})
  })

  it('opens as it was saved', () => {
    expect(stateOf({ ...search, ...searchOfState(stateOf(search)) })).toEqual(stateOf(search))
    expect(searchOfState({ scope: 'sideways', t: '1h' })).toMatchObject({ scope: 'traces', t: '1h', filter: undefined })
  })

  it('notices a change, and its undoing', () => {
    const state = stateOf(search)
    expect(isEdited(search, state)).toBe(false)
    expect(isEdited({ ...search, facets: undefined }, state)).toBe(false)
    expect(isEdited({ ...search, t: '7d' }, state)).toBe(true)
    expect(isEdited(RunsSearch.parse({}), { t: '7d' })).toBe(false)
  })
})
