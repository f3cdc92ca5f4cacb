import type { Comparison } from '@touchstone/contract'
import { any, type Fragment, literal, sql } from '../../../storage/analytics/sql.ts'
import { selectUsageAbove } from '../usage-rows.ts'
import { whereTrace } from '../where-trace.ts'
import { type FilterContext, toScopeCondition } from './context.ts'
import { column, compareScalar } from './scalars.ts'

const TOTALS: ReadonlySet<string> = new Set([
  'total_tokens',
  'prompt_tokens',
  'completion_tokens',
  'total_cost',
  'prompt_cost',
  'completion_cost',
])

/** Whether a field is a sum over the run and its descendants. */
export function isTotal(field: string): boolean {
  return TOTALS.has(field)
}

/**
 * Compares the total that is shown for a run: the usage of the run and its descendants. Each run with usage adds it to
 * itself and to its ancestors, whose ids are in its dotted order. As in the shown totals, an llm run is not counted when
 * a direct child reports usage, because both report the same tokens.
 *
 * @param comparison  positive
 */
export function compareTotal(comparison: Comparison, context: FilterContext): Fragment {
  const { op, value, field } = comparison
  if (op === 'eq' && value === null) return sql`id not in (${selectIdsBySum(field, context, literal('1'))})`
  if (op === 'in') {
    const list = value as readonly (number | null)[]
    const numbers = list.filter((item) => item !== null)
    const conditions = numbers.length < list.length ? [compareTotal({ op: 'eq', field, value: null }, context)] : []
    if (numbers.length > 0) conditions.push(hasSum({ op, field, value: numbers }, context))
    return any(conditions)
  }
  return hasSum(comparison, context)
}

/** Whether usage was reported and its sum satisfies the comparison. */
function hasSum(comparison: Comparison, context: FilterContext): Fragment {
  const { field } = comparison
  const sum = {
    ...column(field, field.endsWith('cost') ? 'decimal' : 'number', 'never'),
    value: literal(`sum(${field})`),
  }
  return sql`id in (${selectIdsBySum(field, context, compareScalar(sum, comparison))})`
}

function selectIdsBySum(column: string, context: FilterContext, having: Fragment): Fragment {
  const { tenantId, traceId, onlyRoots = false } = context
  const inScope = toScopeCondition(context)
  const scope = traceId === undefined ? inScope : sql`${inScope} and ${whereTrace(tenantId, traceId)}`
  return sql`
    select above from (${selectUsageAbove({ tenantId, column, scope, onlyRoots })})
    group by above having ${having}`
}
