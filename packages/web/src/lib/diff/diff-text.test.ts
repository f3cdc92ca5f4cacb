import { describe, expect, it } from 'vitest'
import { diffText, foldUnchanged } from './diff-text.ts'

const MARKS = { same: '=', added: '+', removed: '-' }
const drawn = (a: string, b: string) =>
  diffText(a, b).map(
    ({ kind, pieces }) => MARKS[kind] + pieces.map(({ text, marked }) => (marked ? `[${text}]` : text)).join(''),
  )

describe('comparing two texts', () => {
  it('marks the words that differ in a line that was changed', () => {
    expect(drawn('Hello\nOpen Settings now\nBye', 'Hello\nOpen Preferences now\nBye')).toEqual([
      '=Hello',
      '-Open [Settings] now',
      '+Open [Preferences] now',
      '=Bye',
    ])
  })

  it('keeps both texts complete', () => {
    const a = 'one\n\ntwo\nthree'
    const b = 'zero\none\ntwo\n\nfour'
    const side = (gone: 'added' | 'removed') =>
      diffText(a, b)
        .filter(({ kind }) => kind !== gone)
        .map(({ pieces }) => pieces.map(({ text }) => text).join(''))
        .join('\n')
    expect(side('added')).toBe(a)
    expect(side('removed')).toBe(b)
  })

  it('does not mark the last line when others follow it on the other side', () => {
    expect(drawn('scope: runs\nfilter: a', 'scope: runs')).toEqual(['=scope: runs', '-filter: a'])
    expect(drawn('', 'one')).toEqual(['+one'])
    expect(drawn('one\n', 'one')).toEqual(['-one', '+one'])
  })

  it('has nothing to mark in equal texts', () => {
    expect(drawn('a\nb', 'a\nb')).toEqual(['=a', '=b'])
  })
})

const folded = (pattern: string) =>
  foldUnchanged([...pattern].map((mark) => mark === '.')).map(
    ({ from, to, isFolded }) => `${from}-${to}${isFolded ? ' folded' : ''}`,
  )

describe('folding unchanged lines', () => {
  it('keeps some lines around every difference', () => {
    expect(folded('..........x..........')).toEqual(['0-7 folded', '7-14', '14-21 folded'])
  })

  it('does not fold short sections', () => {
    expect(folded('x.........x')).toEqual(['0-11'])
    expect(folded('..x..')).toEqual(['0-5'])
  })

  it('folds everything when there is no difference', () => {
    expect(folded('......')).toEqual(['0-6 folded'])
    expect(folded('')).toEqual([])
  })
})
