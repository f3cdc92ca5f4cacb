import { type Bound, type Fragment, sql, text } from '../../../storage/analytics/sql.ts'

/** Whether a text fits a pattern in which only `%` is special; case does not matter. */
export function fits(column: Fragment, pattern: string): Fragment {
  return sql`lowerUTF8(${column}) like lowerUTF8(${likePattern(pattern)})`
}

/** Whether a text contains another; case does not matter. */
export function contains(column: Fragment, part: string): Fragment {
  return sql`position(lowerUTF8(${column}), lowerUTF8(${text(part)})) > 0`
}

/** The engine knows `_` and `\` too; here they stand for themselves. */
function likePattern(pattern: string): Bound {
  return text(pattern.replaceAll(/[\\_]/g, '\\$&'))
}
