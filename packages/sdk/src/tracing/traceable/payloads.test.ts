import { describe, expect, it } from 'vitest'
import { formatError } from './payloads.ts'

const firstLine = (thrown: unknown) => formatError(thrown).split('\n')[0]

describe('the error of a run', () => {
  it.each<[unknown, string]>([
    [undefined, 'undefined'],
    [null, 'null'],
    ['', 'Error'],
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

  it('has the causes', () => {
    const error = new Error('outer', { cause: { code: 'E1' } })
    expect(formatError(error)).toMatch(/^Error: outer\n.*\nCaused by: \{"code":"E1"\}$/s)
  })
})
