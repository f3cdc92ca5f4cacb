import type { ComparisonCells } from './comparison.ts'
import type { CellCondition } from './row-filter.ts'

/** A column as text: `correctness`, `change of correctness`, `latency in ms`. */
export function describeColumn(on: string): string {
  if (on.startsWith('delta:')) return `change of ${describeColumn(on.slice('delta:'.length))}`
  if (on.startsWith('score:')) return on.slice('score:'.length)
  return { latency: 'latency in ms', tokens: 'tokens', cost: 'cost in $', error: 'error' }[on] ?? on
}

/** A condition as a short sentence: `correctness of v5 from 0.2 to 0.5`. */
export function describeCondition({ experiments }: ComparisonCells, condition: CellCondition): string {
  const { of, on, min, max, below, any } = condition
  const name = of === undefined ? 'any experiment' : (experiments.find(({ id }) => id === of)?.name ?? of)
  const range = [
    min !== undefined && `from ${min}`,
    max !== undefined && `to ${max}`,
    below !== undefined && `to below ${below}`,
  ]
    .filter(Boolean)
    .join(' ')
  return `${describeColumn(on)} of ${name} ${any === undefined ? range : `is ${any.join(' or ')}`}`
}

/** The columns of a condition: scores, their changes against the baseline, latency, tokens, cost, errors. */
export function listConditionColumns({ keys, errors, experiments }: ComparisonCells): string[] {
  const scores = keys.map(({ key }) => `score:${key}`)
  const changes = experiments.length > 1 ? [...scores, 'latency', 'cost'].map((on) => `delta:${on}`) : []
  return [...scores, ...changes, 'latency', 'tokens', 'cost', ...(errors.length > 0 ? ['error'] : [])]
}

/** The values to choose from, for a column that is not a number. */
export function listConditionChoices({ keys, errors }: ComparisonCells, on: string): readonly string[] {
  if (on === 'error') return errors
  return keys.find(({ key }) => on === `score:${key}`)?.labels ?? []
}
