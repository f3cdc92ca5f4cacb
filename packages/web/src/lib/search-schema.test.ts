import { describe, expect, it } from 'vitest'
import { flag, guid, oneOf, optional, searchSchema, timeRange, withDefault } from './search-schema.ts'

const Search = searchSchema({
  t: timeRange('7d'),
  sort: withDefault(oneOf(['name', 'cost']), 'name'),
  id: optional(guid()),
  open: flag(),
})

describe('the schema of search params', () => {
  it('fills in defaults', () => {
    expect(Search.parse({})).toEqual({ t: '7d', sort: 'name', id: undefined, open: undefined })
  })

  it('replaces values that cannot be read by their defaults', () => {
    const search = { t: 'soon', sort: 'size', id: 'abc', open: 'yes' }
    expect(Search.parse(search)).toEqual({ t: '7d', sort: 'name', id: undefined, open: undefined })
  })

  it.each(['1', 'true', true])('reads the flag %s as true', (open) => {
    expect(Search.parse({ open }).open).toBe(true)
  })

  it('keeps valid values', () => {
    const search = { t: '90m', sort: 'cost', id: '0192c7a0-0000-7000-8000-000000000000' }
    expect(Search.parse(search)).toEqual({ ...search, open: undefined })
  })
})
