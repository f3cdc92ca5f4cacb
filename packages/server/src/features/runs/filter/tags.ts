import type { Comparison, FilterScalar } from '@touchstone/contract'
import { type Fragment, literal, sql, text } from '../../../storage/analytics/sql.ts'
import { any, not } from './logic.ts'
import { contains, fits } from './pattern.ts'

/** A comparison of the tags: some tag satisfies it, or none does when it is negative. */
export function compareTags({ op, value }: Pick<Comparison, 'op' | 'value'>): Fragment {
  switch (op) {
    case 'neq':
      return not(compareTags({ op: 'eq', value }))
    case 'nin':
      return not(compareTags({ op: 'in', value }))
    case 'notlike':
      return not(compareTags({ op: 'like', value }))
    case 'in':
      return any((value as readonly FilterScalar[]).map((one) => compareTags({ op: 'eq', value: one })))
    case 'like':
      return sql`arrayExists(t -> ${fits(literal('t'), String(value))}, tags)`
    case 'search':
      return sql`arrayExists(t -> ${contains(literal('t'), String(value))}, tags)`
    default:
      return value === null ? literal('empty(tags)') : sql`has(tags, ${text(String(value))})`
  }
}
