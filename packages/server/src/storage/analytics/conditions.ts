import { type Bound, type Fragment, join, literal, sql, text } from './sql.ts'

/** Conditions built here are never null, so that `not` is the exact complement. */
export const TRUE = literal('true')
export const FALSE = literal('false')

export function all(conditions: readonly Fragment[]): Fragment {
  return conditions.length === 0 ? TRUE : sql`(${join(conditions, ' and ')})`
}

export function any(conditions: readonly Fragment[]): Fragment {
  return conditions.length === 0 ? FALSE : sql`(${join(conditions, ' or ')})`
}

export function not(condition: Fragment): Fragment {
  return sql`not (${condition})`
}

/** Whether a text matches a pattern in which only `%` is special; case does not matter. */
export function matchesPattern(column: Fragment, pattern: string): Fragment {
  return sql`lowerUTF8(${column}) like lowerUTF8(${escapePattern(pattern)})`
}

/** Whether a text contains another; case does not matter. */
export function containsText(column: Fragment, part: string): Fragment {
  return sql`position(lowerUTF8(${column}), lowerUTF8(${text(part)})) > 0`
}

/** ClickHouse also treats `_` and `\` as special; the filter language does not. */
function escapePattern(pattern: string): Bound {
  return text(pattern.replaceAll(/[\\_]/g, '\\$&'))
}
