import { describe, expect, it } from 'vitest'
import { ProjectsSearch } from './projects-search.ts'
import { RunsSearch } from './runs-search.ts'
import { parseSearch, printSearch } from './search-params.ts'

const read = (search: string) => RunsSearch.parse(parseSearch(search))

describe('the address of a runs list', () => {
  it('means traces of the last week, live, when it says nothing', () => {
    expect(read('')).toEqual({ scope: 'traces', t: '7d', sort: '-start_time', live: 'on' })
  })

  it('keeps what was chosen through printing and reading', () => {
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
