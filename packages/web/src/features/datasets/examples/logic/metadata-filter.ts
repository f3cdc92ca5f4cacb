import { EXAMPLE_FILTERS, FilterError, parseFilter } from '@touchstone/contract/filter'

/** Comparisons that the filter form offers; the filter as text has more. */
export const OPERATORS = [
  { id: 'eq', label: 'is' },
  { id: 'neq', label: 'is not' },
  { id: 'gt', label: '>' },
  { id: 'gte', label: '≥' },
  { id: 'lt', label: '<' },
  { id: 'lte', label: '≤' },
] as const

export interface MetadataCondition {
  /** Dots are levels. */
  key: string
  operator: (typeof OPERATORS)[number]['id']
  /** A number, `true`, `false`, or text. */
  value: string
}

/** A condition in the filter language, together with an existing filter. */
export function printCondition({ key, operator, value }: MetadataCondition, filter = ''): string {
  const condition = `${operator}(metadata.${key.trim()}, ${printValue(value.trim())})`
  return filter.trim() === '' ? condition : `and(${filter.trim()}, ${condition})`
}

function printValue(value: string): string {
  return /^(?:-?\d+(?:\.\d+)?|true|false)$/.test(value) ? value : JSON.stringify(value)
}

/** Why a text is not a filter of examples; undefined for a filter, and for no text. */
export function findFilterProblem(filter: string): string | undefined {
  try {
    parseFilter(filter.trim(), EXAMPLE_FILTERS)
    return undefined
  } catch (error) {
    if (error instanceof FilterError) return error.message
    throw error
  }
}
