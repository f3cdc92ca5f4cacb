import { type Fragment, join, literal, sql } from '../../../storage/analytics/sql.ts'

/** Conditions here are never null, so that `not` is the complement. */
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
