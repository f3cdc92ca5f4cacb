import { describe, expect, it } from 'vitest'
import { createRandom } from '../testing/invent-runs.ts'
import { canonicalJson } from './canonical-json.ts'

const random = createRandom(1)

describe('canonical JSON', () => {
  it.each([
    ['{"b": 1, "a": [ {"d":2,"c":3} ] }', '{"a":[{"c":3,"d":2}],"b":1}'],
    ['[1.0, 1e0, 10E-1, -0, 0.10, 1e21, 100000000000000000000000]', '[1,1,1,0,0.1,1e+21,1e+23]'],
    ['[12345678901234567890, 1e400, 0.1000000000000000055511151231257827]', null],
    ['"\\u0041\\/\\ud800"', '"A/\\ud800"'],
    ['{"d":1,"d":{"z":[]}}', '{"d":{"z":[]}}'],
    ['{"__proto__":{"x":1},"constructor":2}', '{"__proto__":{"x":1},"constructor":2}'],
    ['{"\\u00e9":1,"z":2,"\\ud83d\\ude00":3,"\\ufb33":4}', '{"z":2,"\u00e9":1,"\u{1f600}":3,"\ufb33":4}'],
    ['null', 'null'],
    [' [ ] ', '[]'],
  ])('of %s', (text, expected) => {
    if (expected !== null) expect(canonicalJson(text)).toBe(expected)
    expect(canonicalJson(canonicalJson(text))).toBe(canonicalJson(text))
  })

  it('distinguishes numbers that are equal as doubles', () => {
    expect(canonicalJson('9007199254740993')).not.toBe(canonicalJson('9007199254740992'))
    expect(canonicalJson('1e400')).toBe(canonicalJson('10.0e399'))
    expect(canonicalJson('1e400')).not.toBe(canonicalJson('1e401'))
  })

  it('works at any depth and size', () => {
    const deep = `${'[{"a":'.repeat(5_000)}1${'}]'.repeat(5_000)}`
    expect(canonicalJson(deep)).toBe(deep)
    expect(() => canonicalJson(`[${deep}]`)).toThrow('nested deeper than 10000 levels')
    const wide = `[${'"x",'.repeat(500_000)}1]`
    expect(canonicalJson(wide)).toHaveLength(wide.length)
  })

  it('prints random values in any order and spacing the same way', () => {
    for (let round = 0; round < 200; round++) {
      const value = randomValue(4)
      const shuffled = JSON.stringify(shuffle(value), null, round % 3)
      expect(JSON.parse(canonicalJson(shuffled))).toEqual(value)
      expect(canonicalJson(shuffled)).toBe(canonicalJson(JSON.stringify(value)))
    }
  })

  it('leaves out the members that the filter removes', () => {
    const prune = (members: Map<string, string>, key: string | undefined, parent: string | undefined) => {
      if (key === 'm' && parent === 'k') members.delete('gone')
      return key !== 'm' || members.size > 0
    }
    expect(canonicalJson('{"k":{"m":{"gone":1},"a":2},"m":{"gone":1}}', prune)).toBe('{"k":{"a":2},"m":{"gone":1}}')
  })
})

function randomValue(depth: number): unknown {
  const kind = Math.floor(random() * (depth === 0 ? 3 : 5))
  if (kind === 0) return random() < 0.5 ? Math.floor(random() * 1000) : random() * 1e300
  if (kind === 1) return `${'\\"\n,:{}[]é'.slice(Math.floor(random() * 9))}${'long '.repeat(random() * 100)}`
  if (kind === 2) return [true, false, null][Math.floor(random() * 3)]
  const size = Math.floor(random() * (random() < 0.1 ? 300 : 5))
  const inner = Array.from({ length: size }, () => randomValue(Math.max(0, depth - (size > 5 ? 3 : 1))))
  return kind === 3 ? inner : Object.fromEntries(inner.map((item, at) => [`key ${(at * 7919) % 1009}`, item]))
}

function shuffle(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffle)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [key, shuffle(item)])
  return Object.fromEntries(entries.sort(() => random() - 0.5))
}
