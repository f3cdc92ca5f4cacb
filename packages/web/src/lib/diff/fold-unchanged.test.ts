import { describe, expect, it } from 'vitest'
import { foldUnchanged } from './fold-unchanged.ts'

const folded = (pattern: string) =>
  foldUnchanged([...pattern].map((mark) => mark === '.')).map(
    ({ from, to, isFolded }) => `${from}-${to}${isFolded ? ' folded' : ''}`,
  )

describe('folding what did not change', () => {
  it('keeps some lines around every difference', () => {
    expect(folded('..........x..........')).toEqual(['0-7 folded', '7-14', '14-21 folded'])
  })

  it('leaves short stretches as they are', () => {
    expect(folded('x.........x')).toEqual(['0-11'])
    expect(folded('..x..')).toEqual(['0-5'])
  })

  it('folds everything where nothing differs', () => {
    expect(folded('......')).toEqual(['0-6 folded'])
    expect(folded('')).toEqual([])
  })
})
