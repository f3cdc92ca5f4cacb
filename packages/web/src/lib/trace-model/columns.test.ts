import { describe, expect, it } from 'vitest'
import { findString, packStrings, packWords, stringAt, wordAt } from './columns.ts'
import { parsePicodollars } from './cost.ts'
import { formatPicodollars } from './trace.ts'

describe('packed strings', () => {
  const strings = packStrings(['ab', 'abc', '', 'bc', 'ab'])

  it('come out as they went in', () => {
    expect([0, 1, 2, 3, 4].map((index) => stringAt(strings, index))).toEqual(['ab', 'abc', '', 'bc', 'ab'])
  })

  it('are found whole, never across a border', () => {
    expect(findString(strings, 'abc')).toBe(1)
    expect(findString(strings, 'bc')).toBe(3)
    expect(findString(strings, 'bab')).toBe(-1)
    expect(findString(strings, '')).toBe(-1)
  })

  it('share equal words', () => {
    const words = packWords(['x', 'y', 'x'])
    expect(words.words).toEqual(['x', 'y'])
    expect(wordAt(words, 2)).toBe('x')
  })
})

describe('picodollars', () => {
  it.each([
    ['0.1', '0.1'],
    ['1204', '1204'],
    ['3.5e-8', '0.000000035'],
    ['1E-12', '0.000000000001'],
    ['0.0000000000005', '0.000000000001'],
    ['-2.50', '-2.5'],
    ['.5', '0.5'],
    ['0', '0'],
  ])('of %s read back as %s', (text, back) => expect(formatPicodollars(parsePicodollars(text)!)).toBe(back))

  it.each(['', 'abc', '1,5', 'NaN', '.'])('refuse %j', (text) => expect(parsePicodollars(text)).toBeUndefined())
})
