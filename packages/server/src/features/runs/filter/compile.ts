import { type Comparison, type Filter, isLogical } from '@touchstone/contract'
import { type Fragment, sql } from '../../../storage/analytics/sql.ts'
import type { FilterContext } from './context.ts'
import { compareFamily, type FamilyName, familyOf } from './families.ts'
import { linkOf } from './links.ts'
import { all, any, not } from './logic.ts'
import { comparePath, contains, hasKey } from './paths.ts'
import { comparePayload } from './payloads.ts'
import { RUN_COLUMNS } from './run-columns.ts'
import { compareScalar } from './scalars.ts'
import { compareTags } from './tags.ts'
import { compareTotal, isTotal } from './totals.ts'
import { hasWords } from './words.ts'

/** The condition of a filter on rows of `runs`; never null. */
export function compileFilter(filter: Filter, context: FilterContext): Fragment {
  if (!isLogical(filter)) return compileAll([filter], context)
  const { op, args } = filter
  if (op === 'and') return compileAll(args, context)
  const conditions = args.map((one) => compileFilter(one, context))
  return op === 'or' ? any(conditions) : not(conditions[0]!)
}

/** Clauses of one `and`; those on entries of the same set are bound together. */
function compileAll(filters: readonly Filter[], context: FilterContext): Fragment {
  const families = new Map<FamilyName, Comparison[]>()
  const conditions: Fragment[] = []
  for (const filter of filters) {
    if (isLogical(filter)) conditions.push(compileFilter(filter, context))
    else if (filter.field === undefined) conditions.push(hasWords(filter.value))
    else {
      const family = familyOf(filter.field)
      if (family === undefined) conditions.push(compare(filter, context))
      else families.set(family, [...(families.get(family) ?? []), filter])
    }
  }
  for (const [family, clauses] of families) conditions.push(compareFamily(family, clauses, context))
  return all(conditions)
}

function compare(comparison: Comparison, context: FilterContext): Fragment {
  const { field, op, value } = comparison
  if (isTotal(field)) return compareTotal(comparison, context)
  const link = linkOf(field)
  if (link !== undefined) return link(comparison, context)
  if (field === 'tags') return compareTags(comparison)
  if (op === 'exists') return hasKey(field, String(value))
  if (op === 'has') return contains(field, String(value))
  if (field.includes('.')) return comparePath(comparison)
  if (field === 'inputs' || field === 'outputs') return comparePayload(field, comparison)
  if (field === 'metadata') return compareMetadata(op)
  return compareScalar(RUN_COLUMNS[field]!, comparison)
}

/** Null is all that metadata as a whole is compared with. */
function compareMetadata(op: Comparison['op']): Fragment {
  return op === 'neq' ? sql`notEmpty(metadata.key)` : sql`empty(metadata.key)`
}
