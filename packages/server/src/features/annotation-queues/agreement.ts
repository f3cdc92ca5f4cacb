import type { KeyAgreement } from '@touchstone/contract'

/** An answer of one reviewer: a score, or a label. */
export type Answer = number | string

export interface Agreement {
  /** Units with at least two answers; the others do not count. */
  readonly items: number
  readonly alpha: number | null
  readonly equalShare: number | null
}

/**
 * Krippendorff's alpha: 1 − observed / expected disagreement, over the pairs of answers within a unit and over all pairs.
 * Units may have different numbers of answers.
 *
 * @param units  the answers to one question, by item
 * @param level  `interval` needs numbers; the disagreement of two answers is then the square of their distance
 * @see Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011
 */
export function measureAgreement(units: readonly (readonly Answer[])[], level: KeyAgreement['level']): Agreement {
  const paired = units.filter((answers) => answers.length > 1)
  const all = paired.flat()
  if (all.length === 0) return { items: 0, alpha: null, equalShare: null }
  const sumDistances = level === 'interval' ? sumSquaredDistances : countUnequalPairs
  const observed = sum(paired.map((answers) => sumDistances(answers) / (answers.length - 1))) / all.length
  const expected = sumDistances(all) / (all.length * (all.length - 1))
  const pairs = sum(paired.map(({ length }) => length * (length - 1)))
  return {
    items: paired.length,
    // Not `expected === 0`: the mean of equal numbers is rounded, and their distance from it is not 0.
    alpha: new Set(all).size === 1 ? null : 1 - observed / expected,
    equalShare: 1 - sum(paired.map(countUnequalPairs)) / pairs,
  }
}

/** Ordered pairs of different answers. */
function countUnequalPairs(answers: readonly Answer[]): number {
  const counts = new Map<Answer, number>()
  for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1)
  return answers.length ** 2 - sum([...counts.values()].map((count) => count ** 2))
}

/** Over all ordered pairs. The mean is subtracted first, so that large numbers do not cancel. */
function sumSquaredDistances(answers: readonly Answer[]): number {
  const values = answers.map(Number)
  const mean = sum(values) / values.length
  return 2 * values.length * sum(values.map((value) => (value - mean) ** 2))
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
