import { describe, expect, it } from 'vitest'
import { parseClauses, parseFilter, printClauses, printFilter } from './index.ts'
import { randomFilter, seeded } from './testing.ts'

describe('the clauses of a filter', () => {
  it('are the arguments of the outermost and', () => {
    expect(parseClauses('and(eq(name, "a"), or(eq(name, "b"), eq(name, "c")))').map(({ text }) => text)).toEqual([
      'eq(name, "a")',
      'or(eq(name, "b"), eq(name, "c"))',
    ])
    expect(parseClauses('eq(name, "a"), eq(name, "b")')).toHaveLength(2)
    expect(parseClauses('  ')).toEqual([])
  })

  it('keep what this grammar does not know, word for word, where it stood', () => {
    const clauses = parseClauses('and(eq(name,"a"), fuzzy( name , "b" ) , gt(latency, "5s"))')
    expect(clauses[1]).toMatchObject({ text: 'fuzzy( name , "b" )' })
    expect(clauses[1]!.error!.position).toBe(18)
    expect(printClauses(clauses)).toBe('and(eq(name, "a"), fuzzy( name , "b" ), gt(latency, 5))')
  })

  it('point at brackets that do not fit', () => {
    expect(() => parseClauses('and(eq(name, "a"')).toThrow('character 17')
  })

  it('print what they were read from, in canonical form, for any filter', () => {
    const random = seeded(7)
    for (let round = 0; round < 2_000; round++) {
      const filter = randomFilter(random)
      const canonical = printFilter(filter)
      const clauses = parseClauses(canonical)
      expect(clauses.every(({ error }) => error === undefined)).toBe(true)
      const printed = printClauses(clauses)
      // An outermost and of one is that one; everything else stays to the letter.
      expect(printed).toBe(filter.op === 'and' && filter.args.length === 1 ? printFilter(filter.args[0]!) : canonical)
      expect(parseFilter(printed)).toBeDefined()
    }
  })
})
