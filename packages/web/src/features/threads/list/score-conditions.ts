import { FilterError } from '@touchstone/contract/filter'
import { addClauses, type Chip, describeFilter, parseChips, replaceChip, toClause } from '#lib/filter/chips.ts'
import { fromCondition } from '#lib/filter/condition.ts'
import type { Operation } from '#lib/filter/fields.ts'

/** What a thread is asked for: a score, a label, or that there is any or no feedback with a key. */
export const SCORE_TESTS = {
  gte: 'is at least',
  lte: 'is at most',
  eq: 'is',
  label: 'has the label',
  any: 'exists',
  none: "doesn't exist",
} as const
export type ScoreTest = keyof typeof SCORE_TESTS

export interface ScoreCondition {
  key: string
  test: ScoreTest
  value: string
}

export const needsValue = (test: ScoreTest) => test !== 'any' && test !== 'none'

/** Returns why a condition is incomplete; undefined if it can be applied. */
export function checkScoreCondition({ key, test, value }: ScoreCondition): string | undefined {
  if (key.trim() === '') return 'Enter a key.'
  if (!needsValue(test)) return undefined
  if (value.trim() === '') return test === 'label' ? 'Enter a label.' : 'Enter a score.'
  return test === 'label' || Number.isFinite(Number(value)) ? undefined : 'The score must be a number.'
}

const OPERATIONS: Readonly<Record<ScoreTest, Operation>> = {
  gte: 'gte',
  lte: 'lte',
  eq: 'eq',
  label: 'eq',
  any: 'present',
  none: 'present',
}

/** Adds a condition to a filter on threads. Each condition may be satisfied by another record. */
export function addScoreCondition(
  filter: string | undefined,
  { key, test, value }: ScoreCondition,
): string | undefined {
  const added = fromCondition({
    subject: test === 'label' ? 'feedback_label' : 'feedback',
    key: key.trim(),
    operation: OPERATIONS[test],
    value: value.trim(),
    isNot: test === 'none',
  })
  return addClauses(filter, [toClause(added)])
}

/** The conditions of a filter on threads. A filter that cannot be read is one condition. */
export function listScoreChips(filter: string | undefined): readonly { label: string; rest: string | undefined }[] {
  if (filter === undefined) return []
  const chips = parseChips('run', filter)
  if (chips instanceof FilterError) return [{ label: filter, rest: undefined }]
  return chips.map((chip: Chip) => ({
    label: chip.filter ? describeFilter(chip.filter) : chip.text,
    rest: replaceChip(filter, chip, []),
  }))
}
