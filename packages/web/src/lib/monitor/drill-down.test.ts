import { describe, expect, it } from 'vitest'
import { filterOfGroup, narrow } from './drill-down.ts'

describe('the filter of a group', () => {
  it.each([
    [{ attribute: 'model' }, 'gpt-4o', 'eq(model, "gpt-4o")'],
    [{ attribute: 'model' }, null, 'eq(model, null)'],
    [{ attribute: 'run_type' }, 'llm', 'eq(run_type, "llm")'],
    [{ attribute: 'name' }, 'say "hi"', 'eq(name, "say \\"hi\\"")'],
    [{ attribute: 'tag' }, 'prod', 'has(tags, "prod")'],
    [{ attribute: 'tag' }, null, 'eq(tags, null)'],
    [{ attribute: 'metadata', path: 'env' }, 'prod', 'and(eq(metadata_key, "env"), eq(metadata_value, "prod"))'],
    [{ attribute: 'metadata', path: 'n' }, '5', 'and(eq(metadata_key, "n"), in(metadata_value, ["5", 5]))'],
    [{ attribute: 'metadata', path: 'env' }, null, 'neq(metadata_key, "env")'],
  ] as const)('%o %o', (grouping, group, filter) => {
    expect(filterOfGroup(grouping, group)).toBe(filter)
  })
})

describe('narrowing', () => {
  it('adds conditions and changes none', () => {
    expect(narrow(undefined, 'eq(model, "m")')).toBe('eq(model, "m")')
    expect(narrow('gt(latency, 5)', undefined)).toBe('gt(latency, 5)')
    expect(narrow('gt(latency, 5)', 'eq(model, "m")', 'eq(status, "error")')).toBe(
      'and(gt(latency, 5), eq(model, "m"), eq(status, "error"))',
    )
  })

  it('keeps the two halves of a metadata pair to themselves', () => {
    const both = narrow(
      'and(eq(metadata_key, "a"), eq(metadata_value, "1"))',
      filterOfGroup({ attribute: 'metadata', path: 'b' }, 'x'),
    )
    expect(both).toContain('and(eq(metadata_key, "b"), eq(metadata_value, "x"))')
  })
})
