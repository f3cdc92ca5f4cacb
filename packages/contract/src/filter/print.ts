import type { Filter, FilterScalar } from './tree.ts'

/** The text of a filter; reading it gives the same filter back. */
export function printFilter(filter: Filter): string {
  if ('args' in filter) return `${filter.op}(${filter.args.map(printFilter).join(', ')})`
  const { op, field, value } = filter
  const printed = Array.isArray(value) ? `[${value.map(printScalar).join(', ')}]` : printScalar(value as FilterScalar)
  return field === undefined ? `${op}(${printed})` : `${op}(${field}, ${printed})`
}

function printScalar(value: FilterScalar): string {
  return JSON.stringify(value)
}
