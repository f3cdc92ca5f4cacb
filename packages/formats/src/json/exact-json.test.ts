import { describe, expect, it } from 'vitest'
import {
  Digits,
  parseExactJson,
  parseHeldJson,
  parseKeepingDigits,
  parseModelJson,
  printJson,
  readNumber,
  roundDigits,
} from './exact-json.ts'
import { isRecord } from './guards.ts'

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

describe('a text with a long number that is no JSON', () => {
  const texts = ['[0123456789012345678901]', '1234567890123456789.', '01e400']
  it.each(texts)('is rejected: %s', (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError)
    expect(() => parseKeepingDigits(text)).toThrow(SyntaxError)
  })
})

describe('exact JSON', () => {
  it.each([
    ['107505301260286111', 'an integer between two doubles'],
    ['-9007199254740993', 'a negative integer'],
    ['1e400', 'a number beyond the largest double'],
    ['1e-400', 'a number that would be zero'],
    ['0.12345678901234567890123', 'a fraction with more digits than a double'],
    ['9'.repeat(5000), 'thousands of digits'],
  ])('keeps the digits of %s', (number) => {
    const text = `{"a":[${number}]}`
    const parsed = parseExactJson(text) as { a: unknown[] }
    expect(parsed.a[0]).toBeInstanceOf(Digits)
    expect(String(parsed.a[0])).toBe(number)
    expect(isRecord(parsed.a[0])).toBe(false)
    expect(printJson(parsed)).toBe(text)
  })

  it.each([
    '1.0',
    '1.50e2',
    '1e100',
    '100000000000000000000',
    '0.30000000000000004',
    '9007199254740992',
    '-0',
    '1E+021',
  ])('reads %s as a number, which has its value', (number) => {
    expect(parseExactJson(`{"a":${number},"long":107505301260286111}`)).toMatchObject({ a: Number(number) })
  })

  it('leaves digits inside of texts alone', () => {
    const value = { id: '107505301260286111', text: 'a \\" 107505301260286111' }
    expect(parseExactJson(JSON.stringify(value))).toEqual(value)
  })

  it('becomes numbers of JavaScript for code that needs them', () => {
    const value = parseExactJson('{"a":[12345678901234567890],"b":"x"}')
    expect(roundDigits(value)).toEqual({ a: [Number('12345678901234567890')], b: 'x' })
  })

  it('is printed with an indent', () => {
    expect(printJson(parseExactJson('[12345678901234567890]'), { indent: 2 })).toBe('[\n  12345678901234567890\n]')
  })

  it('prints digits inside of a JSON text that is part of another value', () => {
    const call = { arguments: printJson(parseExactJson('{"order":107505301260286111}')) }
    expect(printJson({ call })).toBe('{"call":{"arguments":"{\\"order\\":107505301260286111}"}}')
  })
})

it('reads the text of a number only', () => {
  expect(['1.50', '-2e3', '007', '1,5', '', '1 2', '1.'].map(readNumber)).toEqual([
    1.5,
    -2000,
    ...Array.from({ length: 5 }, () => undefined),
  ])
  expect(String(readNumber('12345678901234567890'))).toBe('12345678901234567890')
})

it.each([
  ['{"a":[1,2.50,"107505301260286111"]}', { a: [1, 2.5, '107505301260286111'] }],
  ['{"order":107505301260286111}', '{"order":107505301260286111}'],
  ['{"order":', '{"order":'],
  ['', ''],
])('a text is its value where JavaScript can hold it, else itself: %s', (text, expected) => {
  expect(parseHeldJson(text)).toEqual(expected)
})

describe('JSON that a model wrote', () => {
  it.each<[string, unknown]>([
    ['{"order_id": 107505301260286111}', { order_id: '107505301260286111' }],
    [
      '[-9007199254740993,9007199254740991,-9007199254740991]',
      ['-9007199254740993', 9007199254740991, -9007199254740991],
    ],
    ['{"a":1e400,"b":-1e400}', { a: '1e400', b: '-1e400' }],
    ['{"a":1.0,"b":-0.5e-3,"c":0.1234567890123456789}', { a: 1, b: -0.0005, c: 0.12345678901234568 }],
    ['{"107505301260286111":"107505301260286111"}', { '107505301260286111': '107505301260286111' }],
    ['"say \\"107505301260286111\\\\"', 'say "107505301260286111\\'],
    ['{"a":"x\\\\","b":107505301260286111}', { a: 'x\\', b: '107505301260286111' }],
    ['107505301260286111', '107505301260286111'],
    ['9007199254740992', 9007199254740992],
    [`-${'9'.repeat(400)}`, `-${'9'.repeat(400)}`],
    ['{}', {}],
  ])('is read without changing a digit: %s', (text, value) => {
    expect(parseModelJson(text)).toEqual(value)
  })

  it.each([
    '',
    '{',
    '{"a":107505301260286111',
    '01',
    '107505301260286111x',
    '{"a":107505301260286111}}',
    '"107505301260286111',
  ])('is refused as by JSON.parse: %j', (text) => {
    expect(() => parseModelJson(text)).toThrow(SyntaxError)
  })

  it('is read when it is long', () => {
    const long = 'a\\"1'.repeat(500_000)
    expect(parseModelJson(`["${long}",107505301260286111]`)).toEqual([JSON.parse(`"${long}"`), '107505301260286111'])
  })
})
