import { describe, expect, it } from 'vitest'
import { getSortDirection, nextSort, sortRows } from './row-sort.ts'

describe('sorting rows', () => {
  const rows = [
    { name: 'b', size: 2 },
    { name: 'A', size: undefined },
    { name: 'c', size: 2 },
    { name: 'd', size: 9 },
  ]
  const names = (sort: string) =>
    sortRows(rows, sort, { size: ({ size }) => size }, ({ name }) => name)
      .map(({ name }) => name)
      .join(' ')

  it.each([
    ['size', 'b c d A'],
    ['-size', 'd b c A'],
    ['-name', 'd c b A'],
    ['toString', 'A b c d'],
  ])('by %s puts unknown values last and equal ones by name', (sort, expected) => {
    expect(names(sort)).toBe(expected)
  })

  it('reverses on a second click', () => {
    expect(nextSort('name', 'runs')).toBe('-runs')
    expect(nextSort('-runs', 'runs')).toBe('runs')
    expect(nextSort('-runs', 'name')).toBe('name')
    expect([
      getSortDirection('-runs', 'runs'),
      getSortDirection('runs', 'runs'),
      getSortDirection('name', 'runs'),
    ]).toEqual(['descending', 'ascending', undefined])
  })
})
