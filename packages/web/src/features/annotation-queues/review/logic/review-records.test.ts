import { describe, expect, it } from 'vitest'
import { findMine, isEmpty, parseCorrection, readRecords, toAnswers, withMine } from './review-records.ts'

const feedback = (fields: object) => ({
  id: 'f',
  key: 'tone',
  score: null,
  value: null,
  comment: null,
  correction: null,
  ...fields,
})
const read = (...records: object[]) => readRecords(JSON.stringify(records), 'me')
const by = (user_id: string | null, type = 'app') => ({ feedback_source: { type, user_id } })

describe('the records of a review', () => {
  it('are mine when I gave them in the app', () => {
    const records = read(feedback(by('me')), feedback(by('you')), feedback(by('me', 'api')))
    expect(records.map(({ isMine }) => isMine)).toEqual([true, false, false])
    expect(readRecords(JSON.stringify([feedback(by(null))]), null)).toMatchObject([{ isMine: true }])
  })

  it('become answers; the newest of a key counts, and those of others do not', () => {
    const records = read(
      feedback({ ...by('me'), score: 1, comment: 'new' }),
      feedback({ ...by('me'), score: 0 }),
      feedback({ ...by('you'), key: 'other', value: 'x' }),
    )
    expect(toAnswers(records)).toEqual({ tone: { score: 1, value: undefined, comment: 'new' } })
  })

  it('change under one key and keep the id', () => {
    const records = withMine([], 'tone', { answer: { score: 1 } })
    const stored = withMine(records, 'tone', { id: 'f' })
    expect(findMine(withMine(stored, 'tone', { answer: { score: 0 } }), 'tone')).toEqual({
      id: 'f',
      key: 'tone',
      answer: { score: 0 },
      correction: undefined,
      isMine: true,
    })
  })

  it('keep the digits of a correction', () => {
    const answer = JSON.stringify([feedback(by('me')), feedback({ correction: 'a text' })])
    expect(readRecords(answer, 'me').map(({ correction }) => correction)).toEqual([undefined, undefined])
    const withDigits = answer.replace('"correction":null', '"correction":{"id":12345678901234567890,"f":1.10}')
    expect(readRecords(withDigits, 'me')[0]?.correction).toBe('{\n  "id": 12345678901234567890,\n  "f": 1.10\n}')
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
    for (const text of ['null', '12345678901234567890']) expect(parseCorrection(text)).toHaveProperty('problem')
    expect(parseCorrection('[1]')).toMatchObject({ problem: { message: 'The outputs of a run are an object.' } })
    expect(parseCorrection('{"a": }')).toHaveProperty('problem')
  })

  it('have a correction that is sent with the digits that were typed, where the engine can', () => {
    const printed = JSON.stringify(parseCorrection('{"id": 12345678901234567890}'))
    const digits = 'rawJSON' in JSON ? '12345678901234567890' : '12345678901234567000'
    expect(printed).toBe(`{"outputs":{"id":${digits}}}`)
  })
})
