import type { Comparison, FilterScalar } from '@touchstone/contract'
import { type Fragment, literal, sql, text, texts } from '../../../storage/analytics/sql.ts'
import { all, any, not } from './logic.ts'
import { contains, fits } from './pattern.ts'
import { couldContain } from './prefilter.ts'

/** A comparison of a payload as one text: its JSON without spaces between the tokens, whatever came. */
export function comparePayload(
  column: 'inputs' | 'outputs',
  { op, value }: Pick<Comparison, 'op' | 'value'>,
): Fragment {
  switch (op) {
    case 'neq':
      return not(comparePayload(column, { op: 'eq', value }))
    case 'nin':
      return not(comparePayload(column, { op: 'in', value }))
    case 'notlike':
      return not(comparePayload(column, { op: 'like', value }))
    case 'in':
      return isAnyOf(column, value as readonly FilterScalar[])
    case 'eq':
      if (value === null) return sql`${literal(column)} = ''`
      return sql`${compact(column)} = ${text(String(value))}`
    case 'like':
      return all([
        couldContain(column, [{ part: 'value', op: 'like', value: String(value) }]),
        fits(compact(column), String(value)),
      ])
    default:
      return all([
        couldContain(column, [{ part: 'value', op: 'like', value: `%${String(value)}%` }]),
        contains(compact(column), String(value)),
      ])
  }
}

function isAnyOf(column: 'inputs' | 'outputs', list: readonly FilterScalar[]): Fragment {
  const values = list.filter((one) => one !== null).map(String)
  const conditions = values.length < list.length ? [comparePayload(column, { op: 'eq', value: null })] : []
  if (values.length > 0) conditions.push(sql`${compact(column)} in ${texts(values)}`)
  return any(conditions)
}

function compact(column: 'inputs' | 'outputs'): Fragment {
  return literal(`if(isValidJSON(${column}), JSONExtractRaw(${column}), ${column})`)
}
