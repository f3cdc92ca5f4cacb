import { describe, expect, it } from 'vitest'
import { findEntryFamily, isNegative, parseFilter, toPositive } from './index.ts'
import type { Comparison, FilterValue } from './tree.ts'

describe('the positive form of a comparison', () => {
  it.each<[Comparison['op'], Comparison['op'], FilterValue]>([
    ['neq', 'eq', 'a'],
    ['nin', 'in', ['a', null]],
    ['notlike', 'like', '%a%'],
  ])('turns %s into %s and keeps field and value', (op, positive, value) => {
    expect(toPositive({ op, field: 'name', value })).toEqual({ op: positive, field: 'name', value })
  })

  it.each(['eq', 'in', 'like', 'gt', 'has', 'exists', 'search'] as const)('does not exist for %s', (op) => {
    expect(toPositive({ op })).toBeUndefined()
  })
})

describe('a negative clause', () => {
  it.each<[Comparison['op'], FilterValue, boolean]>([
    ['neq', 'a', true],
    ['neq', null, false],
    ['nin', ['a'], true],
    ['notlike', 'a%', true],
    ['eq', null, false],
    ['gt', 1, false],
  ])('%s with %j: %s', (op, value, expected) => {
    expect(isNegative({ op, value })).toBe(expected)
  })
})

describe('the entry family of a clause', () => {
  it.each([
    ['eq(metadata_key, "a")', 'metadata'],
    ['eq(input_value, "a")', 'input'],
    ['like(output_value, "a%")', 'output'],
    ['gt(feedback_score, 1)', 'feedback'],
    ['eq(feedback_error, true)', 'feedback'],
    ['eq(metadata.key, "a")', undefined],
    ['eq(error, "a")', undefined],
    ['search("metadata_key")', undefined],
    ['and(eq(metadata_key, "a"))', undefined],
  ])('%s: %s', (text, family) => {
    const filter = parseFilter(text)
    expect(filter && findEntryFamily(filter)).toBe(family)
  })
})
