import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { findRepairedTexts, identifierText, isStorable, printRepaired, repairedText, toStorable } from './text.ts'

describe('text for people', () => {
  it.each([
    ['great 🤖'.slice(0, 7), 'great \ufffd'],
    ['🤖'.slice(1), '\ufffd'],
    ['a\0b', 'a\ufffdb'],
    ['🤖 whole', '🤖 whole'],
    ['', ''],
  ])('%j is stored as %j', (given, stored) => {
    expect(repairedText().parse(given)).toBe(stored)
    expect(toStorable(given)).toBe(stored)
    expect(isStorable(given)).toBe(given === stored)
  })

  it('keeps its other rules', () => {
    const Name = repairedText(3).trim().min(1, 'is empty')
    expect(Name.parse(' \ud83e')).toBe('\ufffd')
    expect(Name.safeParse('abcd').error?.issues[0]?.message).toBe('has more than 3 characters')
    expect(Name.safeParse(' ').error?.issues[0]?.message).toBe('is empty')
  })

  it('is refused where it is compared with other text', () => {
    expect(identifierText().safeParse('a\0').error?.issues[0]?.message).toBe('holds NUL or half a surrogate pair')
    expect(identifierText(9).parse('🤖')).toBe('🤖')
  })
})

describe('repaired fields', () => {
  const Body = z.object({
    name: repairedText(),
    charts: z.array(z.object({ title: repairedText() })).optional(),
    payload: z.record(z.string(), z.unknown()).optional(),
  })
  const find = (given: unknown) => findRepairedTexts(given, Body.parse(given))

  it('are named by their path', () => {
    expect(find({ name: 'a\0', charts: [{ title: 'ok' }, { title: '\ud83e' }] })).toEqual(['name', 'charts.1.title'])
    expect(find({ name: 'whole', charts: [] })).toEqual([])
    expect(find({ name: 'whole', payload: { kept: '\ud83e' }, unknown: '\0' })).toEqual([])
  })

  it('fit into a header', () => {
    expect(printRepaired(['comment', 'comment', '0.name'])).toBe('comment, 0.name')
    expect(printRepaired(['ä,\n\ud83e'])).toBe('%C3%A4%2C%0A%EF%BF%BD')
    expect(printRepaired(Array.from({ length: 100 }, (_, at) => `${at}`)).split(', ')).toHaveLength(20)
  })

  it('fit into a header when their names are long', () => {
    expect(decodeURI(printRepaired(['a'.repeat(50_000), 'b']))).toBe(`${'a'.repeat(100)}…, b`)
    expect(printRepaired([`${'a'.repeat(99)}😀`])).toBe(`${'a'.repeat(99)}%EF%BF%BD%E2%80%A6`)
    for (const letter of ['a', ',', '語', '😀']) {
      const names = Array.from({ length: 20 }, (_, at) => `${at}.${letter.repeat(50_000)}`)
      const header = printRepaired(names)
      expect(header.length).toBeLessThan(1100)
      expect(header).toMatch(/^0\.[ -~]+, %E2%80%A6$/)
    }
  })
})
