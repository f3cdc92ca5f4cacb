import { describe, expect, it } from 'vitest'
import { printStored, toMetadataOperation, toSplitOperation } from './bulk-changes.ts'

describe('a change of many examples', () => {
  it.each([
    ['add', { key: 'dataset_split', operation: 'array_add', values: ['test'] }],
    ['remove', { key: 'dataset_split', operation: 'array_remove', values: ['test'] }],
    ['move', { key: 'dataset_split', operation: 'set', value: ['test'] }],
  ] as const)('%s: changes the list of splits', (change, operation) => {
    expect(toSplitOperation(change, 'test')).toEqual(operation)
  })

  it.each([
    ['auth', 'auth', 'text'],
    ['2.5', 2.5, 'a number'],
    ['true', true, 'true'],
    ['null', null, 'null'],
    ['["a"]', ['a'], 'JSON'],
    ['"7"', '7', 'text'],
    ['', '', 'text'],
  ])('stores the typed value %j as %j, named in the form', (typed, value, words) => {
    expect(toMetadataOperation('k', typed)).toEqual({ key: 'k', operation: 'set', value })
    expect(printStored(typed)).toBe(words)
  })
})
