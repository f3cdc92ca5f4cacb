import { describe, expect, it } from 'vitest'
import {
  columns,
  count,
  each,
  elements,
  figure,
  list,
  nullable,
  number,
  oneOf,
  pair,
  pick,
  record,
  text,
  truth,
} from './rows.ts'

describe('columns', () => {
  const run = columns({ id: text, n: count, tokens: nullable(figure), ...each(['p50', 'p99'], nullable(number)) })

  it('returns a row with decoded values', () => {
    const decoded = run({ id: 'a', n: '12', tokens: '1.5', p50: 1, p99: null })
    expect(decoded.p99).toBeNull()
    expect(decoded).toEqual({
      id: 'a',
      n: 12,
      tokens: 1.5,
      p50: 1,
      p99: null,
    })
  })

  it('names the column and both types when a value has another type', () => {
    const wrong = () => run({ id: 7, n: '12', tokens: null, p50: 1, p99: 2 })
    expect(wrong).toThrow(new TypeError('Column "id" of a query should be text but is number.'))
  })

  it('refuses a row without a column', () => {
    expect(() => run({ id: 'a', tokens: null, p50: 1, p99: 2 })).toThrow('Column "n" of a query should be an integer')
  })

  it('decodes only the columns that were picked', () => {
    const shape = { n: count, name: text }
    const picked = columns({ id: text, ...pick(shape, ['n']) })
    const row: { readonly id: string; readonly n?: number } = picked({ id: 'a', n: '12' })
    expect({ ...row, n: (row.n ?? 0) + 1 }).toEqual({ id: 'a', n: 13 })
  })
})

it('a map keeps keys with a meaning in JavaScript', () => {
  const decoded = record(figure)(JSON.parse('{"__proto__":"1","constructor":"2"}'))
  expect(Object.entries(decoded)).toEqual([
    ['__proto__', 1],
    ['constructor', 2],
  ])
})

it.each([
  [text, 'a', 'a'],
  [number, 1.5, 1.5],
  [count, '9007199254740991', 9_007_199_254_740_991],
  [count, 3, 3],
  [figure, '0.25', 0.25],
  [truth, false, false],
  [oneOf('a', 'b'), 'b', 'b'],
  [nullable(text), null, null],
  [list(count), ['1', '2'], [1, 2]],
  [pair(text, count), ['a', '2'], ['a', 2]],
  [elements(columns({ key: text, n: count })), { key: 'a', n: '2' }, { key: 'a', n: 2 }],
  [record(figure), { a: '1', b: 2 }, { a: 1, b: 2 }],
] as const)('a column decodes its values (%#)', (column, value, decoded) => {
  expect(column(value)).toEqual(decoded)
})

it.each([
  [text, 1],
  [text, null],
  [number, '1'],
  [count, '1.5'],
  [count, ''],
  [count, null],
  [figure, 'many'],
  [truth, 1],
  [oneOf('a', 'b'), 'c'],
  [nullable(text), undefined],
  [list(text), 'a'],
  [list(text), [1]],
  [pair(text, count), ['a']],
  [pair(text, count), ['a', 'b']],
  [elements(columns({ key: text })), null],
  [elements(columns({ key: text })), { key: 1 }],
  [record(count), []],
  [record(count), null],
] as const)('a column refuses a value of another type (%#)', (column, value) => {
  expect(() => column(value)).toThrow(TypeError)
})
