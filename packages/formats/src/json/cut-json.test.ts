import { describe, expect, it } from 'vitest'
import { splitElements, splitMembers } from './cut-json.ts'
import { createRandom } from './testing/create-random.ts'
import { printObject } from './write-object.ts'

const random = createRandom(1)

describe('cutting JSON text', () => {
  it.each([
    ['{}', {}],
    ['{"a":1}', { a: '1' }],
    [' { "a" : [1, {"b":"}"}] , "c":null } ', { a: '[1, {"b":"}"}]', c: 'null' }],
    ['{"big":12345678901234567890,"f":1.0e+2}', { big: '12345678901234567890', f: '1.0e+2' }],
    ['{"q":"say \\"hi\\" \\\\","t":true}', { q: '"say \\"hi\\" \\\\"', t: 'true' }],
    ['{"a\\u0062":"\\ud800"}', { ab: '"\\ud800"' }],
    ['{"d":1,"d":2}', { d: '2' }],
    ['{"s":"[{","n":{"s":"\\\\"}}', { s: '"[{"', n: '{"s":"\\\\"}' }],
  ])('keeps the text of every member of %s', (text, expected) => {
    expect(Object.fromEntries(splitMembers(text))).toEqual(expected)
  })

  it('keeps `__proto__` as an ordinary key', () => {
    const members = splitMembers('{"__proto__":{"x":1}}')
    expect([...members]).toEqual([['__proto__', '{"x":1}']])
    expect(printObject(members)).toBe('{"__proto__":{"x":1}}')
  })

  it('cuts arrays', () => {
    expect(splitElements('[ {"a":[1,2]}, "x,y" ,3,[] ]')).toEqual(['{"a":[1,2]}', '"x,y"', '3', '[]'])
    expect(splitElements('[]')).toEqual([])
  })

  it('works at any depth', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    expect(splitMembers(`{"deep":${deep},"z":1}`).get('deep')).toHaveLength(200_000)
  })

  it('splits random objects into their members', () => {
    for (let round = 0; round < 300; round++) {
      const value = { a: randomValue(3), 'b"\\': randomValue(3), c: randomValue(2) }
      const text = JSON.stringify(value, null, round % 3)
      expect(JSON.parse(printObject(splitMembers(text)))).toEqual(value)
    }
  })
})

function randomValue(depth: number): unknown {
  const kind = Math.floor(random() * (depth === 0 ? 4 : 6))
  if (kind === 0) return random() * 1e6 - 5e5
  if (kind === 1) return String.fromCharCode(...Array.from({ length: 5 }, () => Math.floor(random() * 0x3000)))
  if (kind === 2) return null
  if (kind === 3) return '"\\{}[],: '
  if (kind === 4) return Array.from({ length: 3 }, () => randomValue(depth - 1))
  return { x: randomValue(depth - 1), '}': randomValue(depth - 1) }
}
