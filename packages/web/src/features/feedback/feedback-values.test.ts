import type { Feedback } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import {
  buildCorrection,
  describeAuthor,
  findOriginalValue,
  formatFeedbackFigures,
  formatFeedbackValue,
  validateFeedbackValue,
} from './feedback-values.ts'

const record = (fields: Partial<Feedback>): Feedback => ({ id: 'f', run_id: 'r', key: 'good', ...fields })
const ofModel = (fields: Partial<Feedback>) => record({ feedback_source: { type: 'model' }, ...fields })

describe('a correction', () => {
  it('keeps the first value of the evaluator after several corrections', () => {
    const first = buildCorrection(ofModel({ score: 0 }), { score: 1 })
    expect(first).toEqual({ score: 1, original: { score: 0, value: undefined } })
    const again = ofModel({ score: 1, correction: first })
    expect(buildCorrection(again, { score: 0.5 })).toMatchObject({ score: 0.5, original: { score: 0 } })
    expect(findOriginalValue(again)).toMatchObject({ score: 0 })
  })

  it('is absent if the value is unchanged or was given by a person', () => {
    expect(buildCorrection(ofModel({ score: 1, value: 'yes' }), { score: 1, value: 'yes' })).toBeUndefined()
    expect(buildCorrection(record({ score: 1, feedback_source: { type: 'app' } }), { score: 0 })).toBeUndefined()
    expect(findOriginalValue(record({ correction: 'It was Monday.' }))).toBeUndefined()
    expect(findOriginalValue(record({ correction: { answer: 'Monday' } }))).toBeUndefined()
  })
})

it('formats feedback by its label and its score', () => {
  expect(formatFeedbackValue({ score: 0.5 })).toBe('0.50')
  expect(formatFeedbackValue({ score: 1, value: 'friendly' })).toBe('friendly (1.00)')
  expect(formatFeedbackValue({ score: 1, value: '1' })).toBe('1')
  expect(formatFeedbackValue({ value: { a: 1 } })).toBe('{"a":1}')
  expect(formatFeedbackValue({ score: null })).toBe('')
})

it('describes the author as far as it is recorded', () => {
  expect(describeAuthor(ofModel({}))).toBe('Evaluator')
  const source = { type: 'app', user_name: 'Ann' } as NonNullable<Feedback['feedback_source']>
  expect(describeAuthor(record({ feedback_source: source }))).toBe('Person · Ann')
})

it('rejects values that do not fit the configuration of their key', () => {
  const range = { type: 'continuous', min: 0, max: 1 } as const
  expect(validateFeedbackValue({ score: 0.3 }, range)).toBeUndefined()
  expect(validateFeedbackValue({ score: -1 }, range)).toBe('The score must be at least 0.')
  expect(validateFeedbackValue({}, range)).toBe('Enter a score.')
  expect(validateFeedbackValue({}, { type: 'categorical', categories: [] })).toBe('Select a category.')
  expect(validateFeedbackValue({ value: ' ' }, { type: 'freeform' })).toBe('Enter a value.')
  expect(validateFeedbackValue({ score: Number.NaN }, undefined)).toBe('The score must be a number.')
})

describe('figures of feedback', () => {
  it.each([
    [{ n: 2, avg: 0.5, values: { good: 2 } }, '0.50'],
    [{ n: 3, avg: null, values: { rude: 1, kind: 2 } }, 'kind'],
    [{ n: 3, avg: null, values: {} }, '×3'],
  ])('%j are formatted as %s', (figures, text) => {
    expect(formatFeedbackFigures(figures)).toBe(text)
  })
})
