import { describe, expect, it } from 'vitest'
import { parseKeepingDigits, printJson } from './keep-digits.ts'

describe('JSON with numbers that JavaScript cannot hold', () => {
  it.each([
    '[12345678901234567890,1.0,1e400,-0,0.1,-12.50e-3]',
    '{"a":"1.0 \\" 2.0","b\\\\":[true,null,{"c":9007199254740993}]}',
    '"12345678901234567890"',
    '7',
    JSON.stringify({ long: 'x'.repeat(5_000_000), slashes: '\\'.repeat(1_000_000), n: 1 }),
  ])('is printed as it came', (text) => {
    expect(printJson(parseKeepingDigits(text)) === text).toBe(true)
  })

  it('otherwise parses and prints like JSON', () => {
    expect(parseKeepingDigits(' { "a" : [ 1, "2.0" ] } ')).toEqual({ a: [1, '2.0'] })
    expect(() => parseKeepingDigits('{"a":1.0')).toThrow(SyntaxError)
  })
})
