import { describe, expect, it } from 'vitest'
import { findTagNameProblem } from './tags.ts'

describe('the name of a commit tag', () => {
  it.each(['production', 'v1', 'v1.0', 'release_2', 'a', 'cafe', 'abcdef1', '1.0', '2026-11-25', 'x'.repeat(200)])(
    '%j is allowed',
    (name) => {
      expect(findTagNameProblem(name)).toBeUndefined()
    },
  )

  it.each([
    ['', 'has 1 to 200 letters'],
    ['a b', 'has 1 to 200 letters'],
    ['prod/1', 'has 1 to 200 letters'],
    ['x'.repeat(201), 'has 1 to 200 letters'],
    ['latest', 'always the newest commit'],
    ['1', 'is a number'],
    ['20261125', 'is a number'],
    ['deadbeef', 'beginning of a commit hash'],
    ['DEADBEEF01', 'beginning of a commit hash'],
  ])('%j is refused: %s', (name, reason) => {
    expect(findTagNameProblem(name)).toContain(reason)
  })
})
