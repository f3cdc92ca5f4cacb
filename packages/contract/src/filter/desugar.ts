import type { Comparison, ComparisonOperator, Filter } from './tree.ts'

/** Negative operator → the operator whose exact complement it is. */
const POSITIVE_OPERATORS: Partial<Record<ComparisonOperator, ComparisonOperator>> = {
  neq: 'eq',
  nin: 'in',
  notlike: 'like',
}

/**
 * The comparison that a negative one negates: `neq(name, "a")` means `not(eq(name, "a"))`.
 *
 * @returns `undefined` when the comparison is positive
 */
export function toPositive<Clause extends Pick<Comparison, 'op'>>(clause: Clause): Clause | undefined {
  const op = POSITIVE_OPERATORS[clause.op]
  return op && { ...clause, op }
}

/**
 * Whether a clause excludes entries of a set. `neq(…, null)` does not: it requires an entry with a value.
 */
export function isNegative({ op, value }: Pick<Comparison, 'op' | 'value'>): boolean {
  return POSITIVE_OPERATORS[op] !== undefined && !(op === 'neq' && value === null)
}

/**
 * A set of entries that a run has. Clauses on its key and its values, side by side in one `and`, apply to the same entry.
 */
export type EntryFamily = 'metadata' | 'input' | 'output' | 'feedback'

const FAMILY_FIELDS: ReadonlyMap<string, EntryFamily> = new Map(
  (
    [
      ['metadata', ['key', 'value']],
      ['input', ['key', 'value']],
      ['output', ['key', 'value']],
      ['feedback', ['key', 'score', 'value', 'source', 'comment', 'error']],
    ] as const
  ).flatMap(([family, parts]) => parts.map((part) => [`${family}_${part}`, family] as const)),
)

/** The family of a clause, or `undefined` when it is not about entries of a set. */
export function findEntryFamily(filter: Filter): EntryFamily | undefined {
  return 'args' in filter || filter.field === undefined ? undefined : FAMILY_FIELDS.get(filter.field)
}

/** Whether a clause of a family is about the key of the entry. */
export function isKeyClause({ field }: Pick<Comparison, 'field'>): boolean {
  return field.endsWith('_key')
}
