import {
  type Comparison,
  type EntryFamily,
  type Filter,
  type FilterScalar,
  findEntryFamily,
  isLogical,
} from '@touchstone/contract'
import { appendTo } from '../../../append-to.ts'
import { microsBetween } from '../../../storage/analytics/durations.ts'
import { ERROR_GROUP } from '../../../storage/analytics/error-expressions.ts'
import {
  all,
  any,
  containsText,
  type Fragment,
  literal,
  matchesPattern,
  not,
  sql,
  TRUE,
  text,
  texts,
} from '../../../storage/analytics/sql.ts'
import { type Clause, type FilterContext, withNegation } from './context.ts'
import { compareFamily } from './families.ts'
import { comparePath, comparePayload, containsPairs, hasKey } from './payloads.ts'
import { findRelatedField } from './related-rows.ts'
import { column, compareScalar, type Scalar, TYPES } from './scalars.ts'
import { compareTotal, isTotal } from './totals.ts'
import { hasWords } from './words.ts'

/** The condition of a filter on rows of `runs`; never null. */
export function compileFilter(filter: Filter, context: FilterContext): Fragment {
  if (!isLogical(filter)) return compileAll([filter], context)
  const { op, args } = filter
  if (op === 'and') return compileAll(args, context)
  if (op === 'or') return any(args.map((arg) => compileFilter(arg, context)))
  const [negated] = args
  return negated === undefined ? TRUE : not(compileFilter(negated, context))
}

/** The clauses of one `and`. Clauses on one entry family are compiled together, because they apply to the same entry. */
function compileAll(filters: readonly Filter[], context: FilterContext): Fragment {
  const families = new Map<EntryFamily, Comparison[]>()
  const conditions: Fragment[] = []
  for (const filter of filters) {
    if (isLogical(filter)) conditions.push(compileFilter(filter, context))
    else if (filter.field === undefined) conditions.push(hasWords(filter.value))
    else {
      const family = findEntryFamily(filter)
      if (family === undefined) conditions.push(compare(filter, context))
      else appendTo(families, family, filter)
    }
  }
  for (const [family, clauses] of families) conditions.push(compareFamily(family, clauses, context))
  return all(conditions)
}

const compare = withNegation((comparison: Comparison, context: FilterContext): Fragment => {
  const { field, op, value } = comparison
  if (isTotal(field)) return compareTotal(comparison, context)
  const compareRelated = findRelatedField(field)
  if (compareRelated !== undefined) return compareRelated(comparison, context)
  if (field === 'tags') return compareTags(comparison)
  if (op === 'exists') return hasKey(field, String(value))
  if (op === 'has') return containsPairs(field, String(value))
  if (field.includes('.')) return comparePath(comparison)
  if (field === 'inputs' || field === 'outputs') return comparePayload(field, comparison)
  // Metadata as a whole is comparable with null only.
  if (field === 'metadata') return sql`empty(metadata.key)`
  const scalar = RUN_COLUMNS[field]
  if (scalar === undefined) throw new Error(`The filter field ${field} has no column`)
  return compareScalar(scalar, comparison)
})

/** Whether one of the tags satisfies a positive clause. */
function compareTags({ op, value }: Clause): Fragment {
  switch (op) {
    case 'in':
      return hasAnyTag(value as readonly FilterScalar[])
    case 'like':
      return sql`arrayExists(t -> ${matchesPattern(literal('t'), String(value))}, tags)`
    case 'search':
      return sql`arrayExists(t -> ${containsText(literal('t'), String(value))}, tags)`
    default:
      return value === null ? literal('empty(tags)') : sql`has(tags, ${text(String(value))})`
  }
}

/** Null in the list matches a run without tags. */
function hasAnyTag(list: readonly FilterScalar[]): Fragment {
  const tags = list.filter((item) => item !== null).map(String)
  const conditions = tags.length < list.length ? [literal('empty(tags)')] : []
  if (tags.length > 0) conditions.push(sql`arrayExists(t -> t in ${texts(tags)}, tags)`)
  return any(conditions)
}

/** Fields that are columns of `runs`. */
const RUN_COLUMNS: Readonly<Record<string, Scalar>> = {
  id: column('id', 'uuid', 'never'),
  trace_id: column('trace_id', 'uuid', 'never'),
  parent_run_id: column('parent_run_id', 'uuid', 'null'),
  session_id: column('session_id', 'uuid', 'never'),
  reference_example_id: column('reference_example_id', 'uuid', 'null'),
  thread_id: column('thread_id', 'text', 'empty'),
  name: column('name', 'text', 'never'),
  run_type: column('run_type', 'text', 'never'),
  status: column('status', 'text', 'never'),
  is_root: { ...column('is_root', 'flag', 'never'), value: literal('(parent_run_id is null)') },
  // Legacy field: 1 for root runs; other values never match.
  execution_order: {
    ...column('execution_order', 'number', 'never'),
    value: literal('toFloat64(if(parent_run_id is null, 1, 2))'),
  },
  start_time: column('start_time', 'time', 'never'),
  end_time: column('end_time', 'time', 'null'),
  first_token_time: column('first_token_time', 'time', 'null'),
  latency: {
    value: literal(`${microsBetween('start_time', 'end_time')} / 1e6`),
    isAbsent: literal('end_time is null'),
    type: TYPES.number,
  },
  error: column('error', 'text', 'empty'),
  error_group: { value: literal(ERROR_GROUP), isAbsent: literal("error_line = ''"), type: TYPES.text },
  model: column('model', 'text', 'empty'),
  provider: column('provider', 'text', 'empty'),
}
