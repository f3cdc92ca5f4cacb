import type { AnnotationQueueItem, AnnotationQueueRubricItem } from '@touchstone/sdk'
import type { Answer, Question } from '../../rubric/rubric.ts'
import type { ReviewRecord } from './review-records.ts'

/** The key of the only question of a pairwise queue without a rubric. */
export const PREFERENCE_KEY = 'preference'

interface PairRow {
  item: Pick<AnnotationQueueItem, 'id' | 'project_id'>
  run?: { reference_example_id?: string | null | undefined } | undefined
}

/**
 * Groups the runs of a pairwise queue: two neighbors of different experiments with the same reference example are a pair,
 * others are alone.
 *
 * @param hasMore  whether rows follow; a last row that may belong to the next one is then left out
 */
export function toPairs<Row extends PairRow>(rows: readonly Row[], hasMore: boolean): { row: Row; partner?: Row }[] {
  const pairs: { row: Row; partner?: Row }[] = []
  for (let at = 0; at < rows.length; at++) {
    const [row, next] = [rows[at], rows[at + 1]]
    if (row === undefined) continue
    const example = row.run?.reference_example_id
    const isPair = next?.run?.reference_example_id === example && next?.item.project_id !== row.item.project_id
    if (next !== undefined && example != null && isPair) {
      pairs.push({ row, partner: next })
      at++
    } else if (next !== undefined || !hasMore) pairs.push({ row })
  }
  return pairs
}

/** Whether the second output is shown first. It depends on the id only, so that a reload does not swap the sides. */
export function isSwapped(itemId: string): boolean {
  let hash = 0
  for (const character of itemId) hash = Math.imul(hash ^ character.charCodeAt(0), 0x5bd1e995) ^ (hash >>> 15)
  return ((hash ^ (hash >>> 13)) & 1) === 1
}

/** Which output is better, for each question of the rubric. `a` and `b` are the first and second item of the pair. */
export function toPairQuestions(items: readonly AnnotationQueueRubricItem[], swapped: boolean): Question[] {
  const asked = items.length > 0 ? items : [{ feedback_key: PREFERENCE_KEY, is_required: true }]
  const [first, second] = swapped ? ['b', 'a'] : ['a', 'b']
  return asked.map(({ feedback_key, description, is_required }) => ({
    key: feedback_key,
    description: description ?? '',
    kind: 'options',
    options: [
      { label: 'First is better', value: first },
      { label: 'Second is better', value: second },
      { label: 'Equal', value: 'equal' },
    ],
    min: undefined,
    max: undefined,
    isRequired: is_required ?? false,
    requiredIf: undefined,
    visibleIf: undefined,
    pattern: undefined,
  }))
}

/** The answers that are stored for the two items: 1 for the better one, 0 for the other, 0.5 for equal ones. */
export function splitPairAnswer({ value, comment }: Answer): [a: Answer, b: Answer] {
  const score = { a: 1, b: 0, equal: 0.5 }[value ?? '']
  if (score === undefined) return [{ comment }, { comment }]
  return [
    { score, comment },
    { score: 1 - score, comment },
  ]
}

/** The reverse of `splitPairAnswer`, from the record of the first item. */
export function joinPairAnswer({ answer }: Pick<ReviewRecord, 'answer'>): Answer {
  const { score, comment } = answer
  const value = score === 1 ? 'a' : score === 0 ? 'b' : score === 0.5 ? 'equal' : undefined
  return { value, comment }
}
