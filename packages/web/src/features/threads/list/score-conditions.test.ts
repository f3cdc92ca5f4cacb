import { describe, expect, it } from 'vitest'
import { addScoreCondition, checkScoreCondition, listScoreChips, type ScoreCondition } from './score-conditions.ts'

const aCondition = (part: Partial<ScoreCondition> = {}): ScoreCondition => ({
  key: 'solved',
  test: 'gte',
  value: '0.5',
  ...part,
})

describe('conditions on the scores of threads', () => {
  it.each([
    [aCondition(), 'and(eq(feedback_key, "solved"), gte(feedback_score, 0.5))'],
    [aCondition({ test: 'label', value: 'rude' }), 'and(eq(feedback_key, "solved"), eq(feedback_value, "rude"))'],
    [aCondition({ test: 'any' }), 'eq(feedback_key, "solved")'],
    [aCondition({ test: 'none' }), 'not(eq(feedback_key, "solved"))'],
  ])('are written in the filter language', (condition, text) => {
    expect(addScoreCondition(undefined, condition)).toBe(text)
  })

  it('are separate, so that another record may satisfy each, and are removed one by one', () => {
    const first = addScoreCondition(undefined, aCondition())
    const both = addScoreCondition(first, aCondition({ key: 'tone', test: 'lte', value: '1' }))
    const chips = listScoreChips(both)
    expect(chips.map(({ label }) => label)).toEqual(['feedback solved ≥ 0.5', 'feedback tone ≤ 1'])
    expect(chips[0]?.rest && listScoreChips(chips[0].rest).map(({ label }) => label)).toEqual(['feedback tone ≤ 1'])
    expect(listScoreChips(first)[0]?.rest).toBeUndefined()
  })

  it('show a filter of another field, or one that cannot be read, as it is', () => {
    expect(listScoreChips('gt(turn_count, 3)')).toEqual([{ label: 'gt(turn_count, 3)', rest: undefined }])
    expect(listScoreChips('gt(')).toEqual([{ label: 'gt(', rest: undefined }])
  })

  it.each([
    [{ key: ' ' }, 'Enter a key.'],
    [{ value: '' }, 'Enter a score.'],
    [{ value: 'high' }, 'The score must be a number.'],
    [{ test: 'label', value: '' }, 'Enter a label.'],
    [{ test: 'any', value: '' }, undefined],
    [{}, undefined],
  ] as const)('are checked before they apply: %j', (part, problem) => {
    expect(checkScoreCondition(aCondition(part))).toBe(problem)
  })
})
