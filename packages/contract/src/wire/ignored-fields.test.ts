import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { findIgnoredFields } from './ignored-fields.ts'

const Inner = z.object({ a: z.string(), data: z.record(z.string(), z.unknown()).nullish() })

describe('fields that a route does not have', () => {
  it.each<[string, z.ZodType, unknown, string[]]>([
    ['at the top', z.object({ a: z.string() }), { a: '1', b: 2 }, ['b']],
    ['of an invalid value', z.object({ a: z.string() }), { b: 2 }, ['b']],
    ['inside', z.object({ inner: Inner.nullish() }), { inner: { a: '1', c: 1 } }, ['inner.c']],
    ['in lists', z.array(Inner.partial()), [{ a: '1' }, { b: 1 }], ['1.b']],
    ['in maps of objects', z.record(z.string(), Inner), { any: { a: '1', b: 1 } }, ['any.b']],
    ['in no member of a union', z.union([z.object({ a: z.string() }), Inner]), { a: '1', data: {}, b: 1 }, ['b']],
    ['before a transformation', z.object({ a: z.string() }).transform(() => 1), { b: 1 }, ['b']],
    ['of a strict object', z.strictObject({ a: z.string() }), { a: '', b: 1 }, ['b']],
    [
      'inherited names',
      z.object({ a: z.string() }),
      JSON.parse('{"constructor":1,"__proto__":2}'),
      ['constructor', '__proto__'],
    ],
  ])('are named: %s', (_, shape, value, expected) => {
    expect(findIgnoredFields(shape, value)).toEqual(expected)
  })

  it.each<[string, z.ZodType, unknown]>([
    ['values of users', Inner, { a: '', data: { anything: { deep: 1 } } }],
    ['loose objects', z.looseObject({ a: z.string() }), { b: 1 }],
    ['unknown values', z.object({ a: z.unknown() }), { a: { b: 1 } }],
    ['a union with a free member', z.union([z.object({ a: z.string() }), z.record(z.string(), z.unknown())]), { b: 1 }],
    ['what a transformation reads', z.preprocess((value) => value, z.object({ a: z.string() })), { b: 1 }],
    ['no object', z.object({ a: z.string() }), 'text'],
  ])('are none in %s', (_, shape, value) => {
    expect(findIgnoredFields(shape, value)).toEqual([])
  })

  it('are named up to a number', () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`f${at}`, { a: 1 }]))
    expect(findIgnoredFields(z.object({}), many)).toHaveLength(20)
  })
})
