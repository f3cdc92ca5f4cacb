import type { Comparison } from '@touchstone/contract'
import { type Fragment, literal, sql } from '../../../storage/analytics/sql.ts'
import { type FilterContext, scopeOf } from './context.ts'
import { any, not } from './logic.ts'
import { column, compareScalar } from './scalars.ts'

const TOTALS = [
  'total_tokens',
  'prompt_tokens',
  'completion_tokens',
  'total_cost',
  'prompt_cost',
  'completion_cost',
] as const

export function isTotal(field: string): boolean {
  return (TOTALS as readonly string[]).includes(field)
}

/**
 * A comparison of what a run and everything below it used, the sums that a run shows. Every run that reports usage
 * gives it to itself and to all above it, whose ids are its path. As in those sums, an llm run whose direct child
 * reports usage only repeats it.
 */
export function compareTotal(comparison: Comparison, context: FilterContext): Fragment {
  const { op, value, field } = comparison
  if (op === 'neq') return not(compareTotal({ ...comparison, op: 'eq' }, context))
  if (op === 'nin') return not(compareTotal({ ...comparison, op: 'in' }, context))
  if (op === 'eq' && value === null) return sql`id not in (${sumsOf(field, context, literal('1'))})`
  if (op === 'in') {
    const list = value as readonly (number | null)[]
    const numbers = list.filter((one) => one !== null)
    const conditions = numbers.length < list.length ? [compareTotal({ op: 'eq', field, value: null }, context)] : []
    if (numbers.length > 0) conditions.push(hasSum({ op, field, value: numbers }, context))
    return any(conditions)
  }
  return hasSum(comparison, context)
}

/** Whether what was used is known and satisfies the comparison. */
function hasSum(comparison: Comparison, context: FilterContext): Fragment {
  const { field } = comparison
  const sum = {
    ...column(field, field.endsWith('cost') ? 'decimal' : 'number', 'never'),
    value: literal(`sum(${field})`),
  }
  return sql`id in (${sumsOf(field, context, compareScalar(sum, comparison))})`
}

function sumsOf(field: string, context: FilterContext, having: Fragment): Fragment {
  const scope = scopeOf(context)
  return sql`
    select above from (
      select ${literal(field)},
        arrayJoin(arrayDistinct(arrayPushBack(
          arrayMap(segment -> toUUIDOrZero(right(segment, 36)), splitByChar('.', dotted_order)), trace_id))) as above
      from trace_runs final
      where ${scope} and ${literal(field)} is not null
        and not (run_type = 'llm' and id in (
          select assumeNotNull(parent_run_id) from trace_runs final
          where ${scope} and parent_run_id is not null and total_tokens is not null)))
    group by above having ${having}`
}
