import type { AnnotationQueueWithDetails } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import {
  findQuestionProblem,
  findSettingsProblems,
  moveQuestion,
  newQuestion,
  type QuestionDraft,
  toExpectedQueue,
  toQueueChange,
  toRubricItem,
  toSettingsDraft,
} from './queue-settings.ts'

const queue = {
  id: 'q',
  name: 'Triage',
  num_reviewers_per_item: 2,
  reviewer_access_mode: 'assigned',
  assigned_reviewers: [{ id: 'ann', name: 'Ann', email: null }],
  rubric_items: [
    {
      feedback_key: 'tone',
      score_descriptions: { 0: 'rude', 1: 'kind' },
      is_required: true,
      visible_if: { join: 'all', rules: [] },
      feedback_config: null,
    },
  ],
} as unknown as AnnotationQueueWithDetails

const question = (fields: Partial<QuestionDraft>) => ({ ...newQuestion('1'), key: 'k', ...fields })

describe('the settings of a queue', () => {
  it('become a change without what reads add, and keep conditions', () => {
    const draft = { ...toSettingsDraft(queue), reviewersPerItem: '', isReserved: false }
    const change = toQueueChange(draft, ['reviewersPerItem', 'dataset', 'isReserved', 'questions'], 'd')
    expect(change).toEqual({
      numReviewersPerItem: null,
      defaultDataset: 'd',
      enableReservations: false,
      rubricItems: [
        {
          feedback_key: 'tone',
          description: null,
          score_descriptions: { 0: 'rude', 1: 'kind' },
          is_required: true,
          is_assertion: false,
          visible_if: { join: 'all', rules: [] },
        },
      ],
    })
  })

  it('list the options of a question by their score', () => {
    const rubric_items = [{ feedback_key: 'right', score_descriptions: { 0: 'no', 1: 'yes', 0.5: 'partly' } }]
    const [drafted] = toSettingsDraft({ ...queue, rubric_items } as unknown as AnnotationQueueWithDetails).questions
    expect(drafted?.options).toBe('0 = no\n0.5 = partly\n1 = yes')
  })

  it.each([
    [['description'], { description: 'new' }],
    [['isReserved'], { enableReservations: true, reservationMinutes: 5 }],
    [['reservationMinutes'], { reservationMinutes: 5 }],
    [['reviewers'], {}],
    [['dataset'], { defaultDataset: null }],
  ] as const)('become a change of %o only, so that what a colleague changed stays', (changed, expected) => {
    const draft = { ...toSettingsDraft(queue), description: 'new', reservationMinutes: '5', reviewers: [] }
    expect(toQueueChange(draft, changed, undefined)).toEqual(expected)
  })

  it('are expected as they were read', () => {
    const base = toSettingsDraft(queue)
    expect(toExpectedQueue(base, ['questions', 'reviewersPerItem', 'dataset', 'isBlind'])).toEqual({
      rubricItems: queue.rubric_items,
      numReviewersPerItem: 2,
      defaultDataset: null,
      hideOthersScores: false,
    })
    expect(toExpectedQueue(base, ['name'])).toEqual({ name: 'Triage' })
  })

  it.each([
    [{ key: ' ' }, 'Enter a feedback key.'],
    [{ key: 'x'.repeat(181) }, 'A feedback key has at most 180 characters.'],
    [{ kind: 'options', options: '' }, 'Write at least one option: score = meaning.'],
    [{ kind: 'options', options: '1 = good\nbad' }, 'Write each option as a line: score = meaning.'],
    [{ kind: 'options', options: '1 = good\n1.0 = fine' }, 'Each score can be used once.'],
    [{ kind: 'options', options: '1 = good\n\n0.5 = fine' }, undefined],
    [{ kind: 'assertion' }, undefined],
  ] as const)('check a question: %o', (fields, problem) => {
    const one = question(fields)
    expect(findQuestionProblem(one, [one])).toBe(problem)
  })

  it('reject a key twice', () => {
    const [one, other] = [question({ id: '1' }), question({ id: '2' })]
    expect(findQuestionProblem(one, [one, other])).toBe('Another question has this key.')
  })

  it('check numbers and the name', () => {
    const draft = { ...toSettingsDraft(queue), name: ' ', reviewersPerItem: '0', reservationMinutes: '1.5' }
    expect(Object.keys(findSettingsProblems(draft))).toEqual(['name', 'reviewersPerItem', 'reservationMinutes'])
    expect(findSettingsProblems(toSettingsDraft(queue))).toEqual({})
  })

  it('move questions within the list', () => {
    const ids = (questions: readonly QuestionDraft[]) => questions.map(({ id }) => id).join('')
    const list = ['a', 'b', 'c'].map((id) => question({ id }))
    expect(ids(moveQuestion(list, 0, 1))).toBe('bac')
    expect(ids(moveQuestion(list, 2, 1))).toBe('abc')
    expect(ids(moveQuestion(list, 1, -1))).toBe('bac')
  })

  it('write an assertion without options', () => {
    expect(toRubricItem(question({ kind: 'assertion', options: '1 = x' }))).toMatchObject({
      is_assertion: true,
      score_descriptions: null,
    })
  })
})
