import { describe, expect, it } from 'vitest'
import { findOvertaken } from './expected.ts'

/** A new list in so many lists. */
const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))

describe('values that a change is based on', () => {
  it('are compared by what they contain', () => {
    expect(findOvertaken({ a: nested(100), b: '', c: 1 }, { a: nested(100), b: null, c: 2 })).toEqual(['c'])
  })

  it('are refused when they are nested too deeply to be compared', () => {
    expect(() => findOvertaken({ a: nested(50_000) }, { a: nested(50_000) })).toThrow('expected.a is nested too deeply')
  })
})
