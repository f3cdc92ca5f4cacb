import { describe, expect, it } from 'vitest'
import { DEFAULT_COLUMNS } from '#lib/run-columns.ts'
import {
  getColumnKind,
  listHiddenColumns,
  matchesColumn,
  moveColumn,
  parseColumn,
  toColsParam,
  toggleColumn,
} from './column-choices.ts'

const columns = ['name', 'input', 'cost']

describe('choose columns', () => {
  it('adds a column at the end and removes it again', () => {
    expect(toggleColumn(columns, 'tags')).toEqual(['name', 'input', 'cost', 'tags'])
    expect(toggleColumn(columns, 'input')).toEqual(['name', 'cost'])
  })

  it.each([
    [1, ['name', 'cost', 'input']],
    [0, columns],
    [3, columns],
  ])('moves a column to position %i, but never before the name', (index, moved) => {
    expect(moveColumn(columns, 'cost', index)).toEqual(moved)
  })

  it('omits the default columns from the URL', () => {
    expect(toColsParam([...DEFAULT_COLUMNS], DEFAULT_COLUMNS)).toBeUndefined()
    expect(toColsParam(columns, DEFAULT_COLUMNS)).toEqual(columns)
  })

  it('offers each hidden column once', () => {
    const hidden = listHiddenColumns(columns, ['score', 'score'], ['user'])
    expect(hidden).toContain('tags')
    expect(hidden).not.toContain('cost')
    expect(hidden.filter((id) => getColumnKind(id) === 'feedback')).toHaveLength(1)
    expect(hidden.filter((id) => getColumnKind(id) === 'metadata')).toHaveLength(1)
  })

  it('searches labels without regard to case', () => {
    expect([matchesColumn('tags', ' TAG'), matchesColumn('tags', 'cost')]).toEqual([true, false])
  })

  it.each([
    ['inputs.question', true],
    ['metadata.user', true],
    ['inputs', false],
    ['nothing.here', false],
  ])('reads the path %s', (path, isColumn) => expect(parseColumn(path) !== undefined).toBe(isColumn))
})
