import { describe, expect, it } from 'vitest'
import {
  type Answers,
  chooseOption,
  findFirstProblem,
  findProblem,
  isChosen,
  selectVisible,
  toQuestions,
} from './rubric.ts'

const config = (feedback_config: object) =>
  ({ feedback_config: { feedback_key: 'k', feedback_config } }) as unknown as Parameters<typeof toQuestions>[0][number]
const question = (item: object) => {
  const [only] = toQuestions([{ feedback_key: 'k', ...item }])
  if (only === undefined) throw new Error('no question')
  return only
}
const problem = (item: object, answers: Answers) => findProblem(question(item), answers)

describe('the questions of a rubric', () => {
  it.each([
    [
      'categories of the config',
      config({ type: 'categorical', categories: [{ value: 1, label: 'kind' }, { value: 0 }] }),
      ['kind', '0'],
    ],
    [
      "the rubric's own words for categories",
      {
        ...config({ type: 'categorical', categories: [{ value: 1, label: 'kind' }] }),
        score_descriptions: { 1: 'It is kind' },
      },
      ['It is kind'],
    ],
    [
      'described scores in order',
      { score_descriptions: { 1: 'right', 0.5: 'partly', 0: 'wrong' } },
      ['wrong', 'partly', 'right'],
    ],
    ['described values', { value_descriptions: { bug: 'A bug', idea: '' } }, ['A bug', 'idea']],
    ['an assertion', { is_assertion: true }, ['holds', 'does not hold']],
  ])('are options for %s', (_, item, labels) => {
    expect(question(item).kind).toBe('options')
    expect(question(item).options.map(({ label }) => label)).toEqual(labels)
  })

  it.each([
    ['a number without a config', {}, 'number'],
    ['a number for a continuous config', config({ type: 'continuous', min: 0, max: 1 }), 'number'],
    ['text for a freeform config', config({ type: 'freeform' }), 'text'],
    ['text when there is a pattern', { regex_validator: '^T' }, 'text'],
  ])('are %s', (_, item, kind) => {
    expect(question(item).kind).toBe(kind)
  })

  it('keep the first of two items with the same key', () => {
    const questions = toQuestions([
      { feedback_key: 'a', description: 'one' },
      { feedback_key: 'a', description: 'two' },
    ])
    expect(questions.map(({ description }) => description)).toEqual(['one'])
  })
})

describe('answers', () => {
  it('are chosen by an option, keep their comment, and are taken back by the same option', () => {
    const [wrong] = question({ score_descriptions: { 0: 'wrong', 1: 'right' } }).options
    if (wrong === undefined) throw new Error('no option')
    const answer = chooseOption(wrong, { score: 1, comment: 'why' })
    expect(answer).toEqual({ score: 0, value: undefined, comment: 'why' })
    expect(isChosen(wrong, answer)).toBe(true)
    expect(chooseOption(wrong, answer)).toEqual({ comment: 'why' })
    expect(isChosen(wrong, { comment: 'why' })).toBe(false)
  })

  it.each<[string, object, Answers, string | undefined]>([
    ['missing but optional', {}, {}, undefined],
    ['missing and required', { is_required: true, score_descriptions: { 1: 'y' } }, {}, 'Choose an answer.'],
    ['blank and required', { is_required: true, regex_validator: '.' }, { k: { value: '  ' } }, 'Enter an answer.'],
    ['only a comment', { is_required: true }, { k: { comment: 'c' } }, 'Enter an answer.'],
    [
      'too small',
      config({ type: 'continuous', min: 0, max: 1 }),
      { k: { score: -1 } },
      'The score must be at least 0.',
    ],
    ['too large', config({ type: 'continuous', min: 0, max: 1 }), { k: { score: 7 } }, 'The score must be at most 1.'],
    ['not a number', {}, { k: { score: Number.NaN } }, 'Enter a number.'],
    ['not matching', { regex_validator: '^T-\\d+$' }, { k: { value: 'X' } }, 'The text does not match ^T-\\d+$.'],
    ['matching', { regex_validator: '^T-\\d+$' }, { k: { value: 'T-7' } }, undefined],
    ['checked by a pattern that cannot be read', { regex_validator: '(' }, { k: { value: 'X' } }, undefined],
  ])('that are %s', (_, item, answers, expected) => {
    expect(problem(item, answers)).toBe(expected)
  })

  it('show and require later questions by conditions', () => {
    const questions = toQuestions([
      { feedback_key: 'ok', score_descriptions: { 0: 'no', 1: 'yes' } },
      {
        feedback_key: 'why',
        visible_if: { join: 'all', rules: [{ key: 'ok', op: 'is_one_of', values: [0] }] },
        required_if: { join: 'any', rules: [{ key: 'ok', op: 'is_not_empty' }] },
      },
      { feedback_key: 'first', visible_if: { join: 'any', rules: [{ key: 'ok', op: 'is_empty' }] } },
    ])
    const shown = (answers: Answers) => selectVisible(questions, answers).map(({ key }) => key)
    expect(shown({})).toEqual(['ok', 'first'])
    expect(shown({ ok: { score: 0 } })).toEqual(['ok', 'why'])
    expect(shown({ ok: { score: 1 } })).toEqual(['ok'])
    expect(findFirstProblem(questions, { ok: { score: 0 } })).toEqual({ key: 'why', problem: 'Enter an answer.' })
    expect(findFirstProblem(questions, { ok: { score: 1 } })).toBeUndefined()
  })
})
