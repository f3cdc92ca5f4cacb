import { describe, expect, it } from 'vitest'
import { parseExactly, printExactly, readNumber, toPlain } from './exact-json.ts'

describe('JSON with all digits', () => {
  it.each([
    '12345678901234567890',
    '{"a":[-0.12345678901234567890123,1e400,"12345678901234567890"],"b":9007199254740993}',
    '{"text":"a \\" quoted 12345678901234567890 \\\\","n":1}',
  ])('is printed as it was read: %s', (text) => {
    expect(printExactly(parseExactly(text))).toBe(text)
  })

  it('has ordinary numbers where a double is exact', () => {
    expect(parseExactly('{"a":1.5000000000000000,"b":1234567890123456.0}')).toEqual({ a: 1.5, b: 1234567890123456 })
    expect(readNumber('1.50')).toBe(1.5)
    expect(readNumber('007')).toBeUndefined()
    expect(readNumber('1,5')).toBeUndefined()
  })

  it('becomes doubles for code that needs numbers', () => {
    expect(toPlain(parseExactly('{"a":[12345678901234567890],"b":"x"}'))).toEqual({
      a: [Number('12345678901234567890')],
      b: 'x',
    })
  })
})
