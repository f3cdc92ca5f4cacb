import { RE2JS } from 're2js'
import { describe, expect, it } from 'vitest'
import { compileUserPattern, LargePattern } from './patterns.ts'

const compile = (source: string, maxProgram = 2_100) => compileUserPattern(source, RE2JS.CASE_INSENSITIVE, maxProgram)

describe('a pattern of a user', () => {
  it.each([
    '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
    '^claude-3-5-sonnet(?:-\\d{8})?(?:@latest)?$',
    '^.{1,1000}$',
    '(?:ab|[c{5}\\]]{3}){4}',
    '\\{1000}',
  ])('of usual size is compiled: %s', (source) => {
    expect(compile(source).size).toBeLessThanOrEqual(2_100)
  })

  it.each([
    '(a?){1000}'.repeat(90),
    'a{1000}'.repeat(140),
    `(${'abc'.repeat(300)}){1000}`,
    `((${'a?'.repeat(30)}){30}){30}`,
    '[\\]]{1000}'.repeat(90),
  ])('is refused before it is compiled when it has too many instructions (%#)', (source) => {
    expect(() => compile(source, 1_000_000)).toThrow(LargePattern)
  })

  it('is refused when it has more instructions than it may have', () => {
    expect(() => compile('a{999}', 900)).toThrow('instructions, more than 900')
    expect(compile('a{999}', 1_100).compiled.matcher('a'.repeat(999)).find()).toBe(true)
  })

  it('that is none is refused with the words of the engine', () => {
    expect(() => compile('(')).toThrow('missing closing')
  })
})
