import { describe, expect, it } from 'vitest'
import { isEdited, ProjectsSearch, RunsSearch, toRunsSearch, toViewState } from './page-search.ts'
import { parseSearch, printSearch } from './search-schema.ts'

const read = (search: string) => RunsSearch.parse(parseSearch(search))

describe('the address of a runs list', () => {
  it('defaults to traces of the last week, live', () => {
    expect(read('')).toEqual({ scope: 'traces', t: '7d', sort: '-start_time', live: 'on' })
  })

  it('keeps values through printing and parsing', () => {
    const chosen = read(
      '?scope=runs&t=1h&filter=eq(run_type, "llm")&treeFilter=has(tags, "a")&facets=1&cols=name,latency&live=off',
    )
    expect(chosen).toMatchObject({
      scope: 'runs',
      t: '1h',
      filter: 'eq(run_type, "llm")',
      treeFilter: 'has(tags, "a")',
      facets: true,
      cols: 'name,latency',
      live: 'off',
    })
    expect(read(printSearch(chosen))).toEqual(chosen)
  })

  it.each(['?scope=nonsense', '?t=8x', '?type=robot', '?facets=maybe', '?peek=12', '?live=', '?tab=0&clusterJobId=x'])(
    'falls back instead of failing at %s',
    (search) => {
      expect(read(search)).toEqual({ scope: 'traces', t: '7d', sort: '-start_time', live: 'on' })
    },
  )

  it('is readable by people', () => {
    expect(printSearch({ t: '2026-01-01T00:00:00Z..', cols: ['name', 'cost'], errors: true, peek: undefined })).toBe(
      '?t=2026-01-01T00:00:00Z..&cols=name,cost&errors=1',
    )
  })

  it('never turns an id of digits into a number', () => {
    expect(parseSearch('?q=0012')).toEqual({ q: '0012' })
    expect(ProjectsSearch.parse({ q: '0012', sort: '-cost' })).toMatchObject({ q: '0012', sort: '-cost', t: '24h' })
  })
})

describe('the state of a saved view', () => {
  const search = RunsSearch.parse({ filter: 'eq(name, "a")', t: '3d', scope: 'runs', peek: undefined, facets: '1' })

  it('contains the params of the list without defaults', () => {
    expect(toViewState(search)).toEqual({ filter: 'eq(name, "a")', t: '3d', scope: 'runs' })
    expect(toViewState(RunsSearch.parse({}))).toEqual({})
  })

  it('opens as it was saved', () => {
    expect(toViewState({ ...search, ...toRunsSearch(toViewState(search)) })).toEqual(toViewState(search))
    expect(toRunsSearch({ scope: 'sideways', t: '1h' })).toMatchObject({ scope: 'traces', t: '1h', filter: undefined })
  })

  it('detects a change and its reversal', () => {
    const state = toViewState(search)
    expect(isEdited(search, state)).toBe(false)
    expect(isEdited({ ...search, facets: undefined }, state)).toBe(false)
    expect(isEdited({ ...search, t: '7d' }, state)).toBe(true)
    expect(isEdited(RunsSearch.parse({}), { t: '7d' })).toBe(false)
  })
})
