import { describe, expect, it } from 'vitest'
import { findFilterProblem, printCondition } from './metadata-filter.ts'

describe('a filter of examples by metadata', () => {
  it.each([
    [{ key: 'topic', operator: 'eq', value: 'auth' }, '', 'eq(metadata.topic, "auth")'],
    [{ key: 'level', operator: 'gte', value: '2.5' }, '', 'gte(metadata.level, 2.5)'],
    [{ key: 'a.b', operator: 'neq', value: 'true' }, '', 'neq(metadata.a.b, true)'],
    [{ key: 'say', operator: 'eq', value: 'a "b"' }, '', 'eq(metadata.say, "a \\"b\\"")'],
    [{ key: 'x', operator: 'lt', value: '1' }, 'eq(metadata.y, 2)', 'and(eq(metadata.y, 2), lt(metadata.x, 1))'],
  ] as const)('prints %j after %j', (condition, filter, printed) => {
    expect(printCondition(condition, filter)).toBe(printed)
    expect(findFilterProblem(printed)).toBeUndefined()
  })

  it('names the position of a mistake', () => {
    expect(findFilterProblem('eq(metadata.topic')).toMatch(/^Invalid filter at character \d+/)
    expect(findFilterProblem('eq(name, "x")')).toMatch(/^Invalid filter/)
    expect(findFilterProblem('')).toBeUndefined()
  })
})
