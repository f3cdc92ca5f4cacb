import type { Feedback } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { findMine, isEmpty, parseCorrection, toAnswers, toRecord, withMine } from './review-records.ts'

const feedback = (fields: object) =>
  ({
    id: 'f',
    key: 'tone',
    score: null,
    value: null,
    comment: null,
    correction: null,
    ...fields,
  }) as unknown as Feedback
const by = (user_id: string | null, type = 'app') => ({ feedback_source: { type, user_id } })

describe('the records of a review', () => {
  it('are mine when I gave them in the app', () => {
    expect(toRecord(feedback(by('me')), 'me').isMine).toBe(true)
    expect(toRecord(feedback(by('you')), 'me').isMine).toBe(false)
    expect(toRecord(feedback(by('me', 'api')), 'me').isMine).toBe(false)
    expect(toRecord(feedback(by(null)), null).isMine).toBe(true)
  })

  it('become answers; the newest of a key counts, and those of others do not', () => {
    const records = [
      toRecord(feedback({ ...by('me'), score: 1, comment: 'new' }), 'me'),
      toRecord(feedback({ ...by('me'), score: 0 }), 'me'),
      toRecord(feedback({ ...by('you'), key: 'other', value: 'x' }), 'me'),
    ]
    expect(toAnswers(records)).toEqual({ tone: { score: 1, value: undefined, comment: 'new' } })
  })

  it('change under one key and keep the id', () => {
    const records = withMine([], 'tone', { answer: { score: 1 } })
    const stored = withMine(records, 'tone', { id: 'f' })
    expect(findMine(withMine(stored, 'tone', { answer: { score: 0 } }), 'tone')).toEqual({
      id: 'f',
      key: 'tone',
      answer: { score: 0 },
      correction: null,
      isMine: true,
    })
  })

  it.each([
    [{}, true],
    [{ value: '', comment: '' }, true],
    [{ score: 0 }, false],
    [{ comment: 'c' }, false],
  ])('%o is empty: %s', (answer, expected) => {
    expect(isEmpty(answer)).toBe(expected)
  })

  it('have a correction that is a JSON object', () => {
    expect(parseCorrection('{"a": 1}')).toEqual({ outputs: { a: 1 } })
    expect(parseCorrection('[1]')).toMatchObject({ problem: { message: 'The outputs of a run are an object.' } })
    expect(parseCorrection('{"a": }')).toHaveProperty('problem')
  })
})
