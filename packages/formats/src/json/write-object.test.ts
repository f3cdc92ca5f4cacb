import { describe, expect, it } from 'vitest'
import { addRawMembers, joinObjects, printObject } from './write-object.ts'

describe('write an object with raw members', () => {
  it('keeps every byte of the raw JSON', () => {
    expect(addRawMembers({ id: 1 }, { inputs: '{"a": 1.0, "a":12345678901234567890}' })).toBe(
      '{"id":1,"inputs":{"a": 1.0, "a":12345678901234567890}}',
    )
  })

  it.each([
    ['null', null],
    ['undefined', undefined],
    ['an empty text', ''],
  ])('writes %s as null', (_, json) => {
    expect(addRawMembers('{"id":1}', { outputs: json })).toBe('{"id":1,"outputs":null}')
  })

  it('adds members to an empty object', () => {
    expect(addRawMembers({}, { a: '1' })).toBe('{"a":1}')
    expect(addRawMembers({ a: 1 }, {})).toBe('{"a":1}')
  })

  it('joins the members of two objects', () => {
    expect(joinObjects('{"a":1}', '{"b":2}')).toBe('{"a":1,"b":2}')
    expect(joinObjects('{}', '{"b":2}')).toBe('{"b":2}')
  })

  it('escapes keys', () => {
    expect(
      printObject(
        new Map([
          ['__proto__', '1'],
          ['a"b', '[]'],
        ]),
      ),
    ).toBe('{"__proto__":1,"a\\"b":[]}')
  })
})
