import {
  type Comparison,
  type EntryFamily,
  type FilterScalar,
  isKeyClause,
  isNegative,
  toPositive,
} from '@touchstone/contract'
import { all, type Fragment, join, not, sql, time, uuid } from '../../../storage/analytics/sql.ts'
import type { FilterContext } from './context.ts'
import {
  compareEntryKey,
  compareEntryValue,
  type Entries,
  type EntryHint,
  hasMetadataPair,
  INPUTS,
  METADATA,
  OUTPUTS,
} from './entries.ts'
import { column, compareScalar, type Scalar } from './scalars.ts'

/**
 * The condition of all clauses on one family inside one `and`:
 * - with a positive key clause, or with value clauses alone of which one is positive: one entry satisfies all of them;
 * - with negative key clauses alone: no entry has such a key, and the value clauses are independent;
 * - with negative value clauses alone: no entry has such a value.
 */
export function compareFamily(family: EntryFamily, clauses: readonly Comparison[], context: FilterContext): Fragment {
  const some = (entry: readonly Comparison[]) => someEntry(family, entry, context)
  const none = (clause: Comparison) => not(some([toPositive(clause) ?? clause]))

  const absence = clauses.filter((clause) => isKeyClause(clause) && clause.value === null)
  if (absence.length > 0) {
    const rest = clauses.filter((clause) => !absence.includes(clause))
    const presence = absence.map(({ op }) => (op === 'neq' ? some([]) : not(some([]))))
    return all(rest.length === 0 ? presence : [...presence, compareFamily(family, rest, context)])
  }

  const keys = clauses.filter(isKeyClause)
  const values = clauses.filter((clause) => !isKeyClause(clause))
  if (keys.some((clause) => !isNegative(clause))) return all(splitByKey(clauses).map(some))
  const wanted = values.filter((clause) => !isNegative(clause))
  if (keys.length === 0 && wanted.length > 0) return some(clauses)
  return all([...keys.map(none), ...(wanted.length > 0 ? [some(wanted)] : []), ...values.filter(isNegative).map(none)])
}

/** Whether a record of `run_feedback` satisfies all clauses on feedback; a negative clause is a comparison like others. */
export function compareFeedbackRecord(clauses: readonly Comparison[]): Fragment {
  return all(
    clauses.map((clause) => {
      const scalar = FEEDBACK_COLUMNS.get(clause.field)
      if (scalar === undefined) throw new Error(`${clause.field} is not a field of feedback`)
      return compareScalar(scalar, clause)
    }),
  )
}

function someEntry(family: EntryFamily, clauses: readonly Comparison[], context: FilterContext): Fragment {
  if (family === 'feedback') return someFeedback(clauses, context)
  const pair = family === 'metadata' ? findPair(clauses) : undefined
  if (pair !== undefined) return pair
  const conditions = clauses.map((clause) => (isKeyClause(clause) ? compareEntryKey : compareEntryValue)(clause))
  return ENTRIES[family].some(
    (key, value) => all(conditions.map((condition) => condition(key, value))),
    clauses.flatMap(toHints),
  )
}

/** One key and one value by equality, the usual case, are compared by their hash. */
function findPair(clauses: readonly Comparison[]): Fragment | undefined {
  const key = clauses.find(isKeyClause)
  const value = clauses.find((clause) => !isKeyClause(clause))
  if (clauses.length !== 2 || key?.op !== 'eq' || value?.op !== 'eq') return undefined
  return hasMetadataPair(String(key.value), value.value as FilterScalar)
}

const ENTRIES: Readonly<Record<Exclude<EntryFamily, 'feedback'>, Entries>> = {
  metadata: METADATA,
  input: INPUTS,
  output: OUTPUTS,
}

function toHints(clause: Comparison): EntryHint[] {
  const { op, value } = clause
  if ((op !== 'eq' && op !== 'like') || typeof value !== 'string') return []
  return [{ part: isKeyClause(clause) ? 'key' : 'value', op, value }]
}

/**
 * Splits the clauses into one group per key. No entry has two keys, so clauses on different keys describe several
 * entries: each key clause with the value clauses that follow it.
 */
function splitByKey(clauses: readonly Comparison[]): Comparison[][] {
  const named = clauses.filter((clause) => isKeyClause(clause) && (clause.op === 'eq' || clause.op === 'in'))
  const [first, ...others] = named.map(({ value }) => new Set<unknown>(Array.isArray(value) ? value : [value]))
  const isShared =
    first === undefined || others.length === 0 || [...first].some((name) => others.every((set) => set.has(name)))
  if (isShared) return [[...clauses]]
  const groups: Comparison[][] = []
  const leading: Comparison[] = []
  for (const clause of clauses) {
    if (named.includes(clause)) groups.push(groups.length === 0 ? [...leading, clause] : [clause])
    else (groups.at(-1) ?? leading).push(clause)
  }
  return groups
}

const FEEDBACK_COLUMNS: ReadonlyMap<string, Scalar> = new Map([
  ['feedback_key', column('key', 'text', 'never')],
  ['feedback_score', column('score', 'number', 'null')],
  ['feedback_value', column('label', 'text', 'empty')],
  ['feedback_source', column('source_type', 'text', 'never')],
  ['feedback_comment', column('comment', 'text', 'null')],
  ['feedback_error', column('error', 'flag', 'never')],
])

/** Whether one feedback record on the run satisfies all clauses. */
function someFeedback(clauses: readonly Comparison[], { tenantId, feedbackWindow = {} }: FilterContext): Fragment {
  const { from, until } = feedbackWindow
  return sql`id in (
        select run_id from run_feedback final
        where ${join([
          sql`tenant_id = ${uuid(tenantId)}`,
          ...(clauses.length > 0 ? [compareFeedbackRecord(clauses)] : []),
          ...(from ? [sql`modified_at >= ${time(from)}`] : []),
          ...(until ? [sql`modified_at < ${time(until)}`] : []),
        ])})`
}
