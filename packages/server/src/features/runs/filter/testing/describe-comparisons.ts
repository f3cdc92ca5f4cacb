import { type Comparison, type Filter, type FullText, isLogical } from '@touchstone/contract'

/** What the comparisons of a filter are, apart from their values: field, operator, and what kind of value. */
export function describeComparisons(filter: Filter): readonly string[] {
  return isLogical(filter)
    ? filter.args.flatMap(describeComparisons)
    : [`${nameField(filter)} ${filter.op} ${describeValue(filter.value)}`]
}

/** A path by its payload; words anywhere in a run have none. */
export const nameField = ({ field = 'anywhere' }: Comparison | FullText): string => field.replace(/\..*/, '.path')

/** Lists of more than a thousand values are sent in another way. */
function describeValue(value: Comparison['value']): string {
  if (!Array.isArray(value)) return value === null ? 'null' : typeof value
  const kinds = [...new Set(value.map(describeValue))].sort()
  return `[${kinds}]${value.length > 1_000 ? ' long' : ''}`
}
