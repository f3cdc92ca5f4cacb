import type { Comparison, FilterScalar } from '@touchstone/contract'
import { type Fragment, literal, sql, text, texts } from '../../../storage/analytics/sql.ts'
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
      return isAnyOf(value as readonly FilterScalar[])
    case 'like':
      return sql`arrayExists(t -> ${fits(literal('t'), String(value))}, tags)`
    case 'search':
      return sql`arrayExists(t -> ${contains(literal('t'), String(value))}, tags)`
    default:
      return value === null ? literal('empty(tags)') : sql`has(tags, ${text(String(value))})`
  }
}

/** Null stands for a run without tags. */
function isAnyOf(list: readonly FilterScalar[]): Fragment {
  const tags = list.filter((one) => one !== null).map(String)
  const conditions = tags.length < list.length ? [literal('empty(tags)')] : []
  if (tags.length > 0) conditions.push(sql`arrayExists(t -> t in ${texts(tags)}, tags)`)
  return any(conditions)
}
