import { describe, expect, it } from 'vitest'
import { hidesOthersScores, type ScoreReader } from './hidden-scores.ts'

const READERS = [
  ['a person', { kind: 'person', role: 'member', isAssigned: true }, true, true],
  ['a person who is not assigned', { kind: 'person', role: 'admin', isAssigned: false }, true, false],
  ['a viewer', { kind: 'person', role: 'viewer', isAssigned: true }, false, false],
  ['an assigned key', { kind: 'key', role: 'member', isAssigned: true }, false, true],
  ['a key that is not assigned', { kind: 'key', role: 'member', isAssigned: false }, false, false],
  ['a caller of an open server', { kind: 'local', role: 'admin', isAssigned: false }, false, false],
] as const satisfies readonly (readonly [string, ScoreReader, boolean, boolean])[]

describe('a queue that hides the scores of others', () => {
  it.each(READERS)('decides for %s', (_, reader, ofAny, ofAssigned) => {
    expect(hidesOthersScores({ hide_others_scores: true, reviewer_access_mode: 'any' }, reader)).toBe(ofAny)
    expect(hidesOthersScores({ hide_others_scores: true, reviewer_access_mode: 'assigned' }, reader)).toBe(ofAssigned)
  })

  it.each(READERS)('shows them to %s when it does not hide them', (_, reader) => {
    expect(hidesOthersScores({ hide_others_scores: false, reviewer_access_mode: 'any' }, reader)).toBe(false)
  })
})
