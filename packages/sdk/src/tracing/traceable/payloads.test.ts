import { describe, expect, it } from 'vitest'
import { formatError } from './payloads.ts'

const firstLine = (thrown: unknown) => formatError(thrown).split('\n')[0]

describe('the error of a run', () => {
  it.each<[unknown, string]>([
    [undefined, 'undefined'],
    [null, 'null'],
    ['', 'An empty text was thrown'],
    ['out of luck', 'out of luck'],
    [0, '0'],
    [Symbol('s'), 'Symbol(s)'],
    [{ code: 1 }, '{"code":1}'],
    [{ message: 'no', status: 429 }, '{"message":"no","status":429}'],
    [{ toString: () => 'own text' }, 'own text'],
    [Object.create(null), 'Error'],
    [[], 'Error'],
    [new TypeError('bad'), 'TypeError: bad'],
  ])('is the text of what was thrown: %o', (thrown, line) => {
    expect(firstLine(thrown)).toBe(line)
  })

  it('has the causes, and the errors of which there are many', () => {
    const cause = { code: 'E1' }
    expect(formatError(new Error('outer', { cause }))).toMatch(/^Error: outer\n.*\nCaused by: \{"code":"E1"\}$/s)
    const many = new AggregateError([new Error('first'), undefined], 'all failed')
    expect(formatError(many)).toMatch(
      /^AggregateError: all failed\n.*One of its errors: Error: first\n.*One of its errors: undefined$/s,
    )
  })
})
