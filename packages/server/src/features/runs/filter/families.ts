import type { Comparison, FilterScalar } from '@touchstone/contract'
import type { Fragment } from '../../../storage/analytics/sql.ts'
import type { FilterContext } from './context.ts'
import { type Entries, type EntryHint, entriesOf, hasPair, METADATA, onKey, onValue } from './entries.ts'
import { someFeedback } from './feedback.ts'
import { all, not } from './logic.ts'

/** Fields that describe one entry of a set: clauses on them, side by side in one `and`, speak of the same entry. */
export type FamilyName = 'metadata' | 'input' | 'output' | 'feedback'

export function familyOf(field: string): FamilyName | undefined {
  return /^(metadata|input|output|feedback)_(key|value|score|source|comment|error)$/.exec(field)?.[1] as
    | FamilyName
    | undefined
}

/**
 * The condition of all clauses on one family inside one `and`:
 * with a positive key clause, or with value clauses alone of which one is positive, a single entry satisfies them all;
 * with negative key clauses alone, no entry has such a key, and values are asked for independently;
 * with negative value clauses alone, no entry has such a value.
 */
export function compareFamily(family: FamilyName, clauses: readonly Comparison[], context: FilterContext): Fragment {
  const some = (entry: readonly Comparison[]) => someEntry(family, entry, context)
  const none = (clause: Comparison) => not(some([positive(clause)]))

  const absence = clauses.filter((clause) => isKey(clause) && clause.value === null)
  if (absence.length > 0) {
    const rest = clauses.filter((clause) => !absence.includes(clause))
    const presence = absence.map(({ op }) => (op === 'neq' ? some([]) : not(some([]))))
    return all(rest.length === 0 ? presence : [...presence, compareFamily(family, rest, context)])
  }

  const keys = clauses.filter(isKey)
  const values = clauses.filter((clause) => !isKey(clause))
  if (keys.some((clause) => !isNegative(clause))) return all(split(clauses).map(some))
  const wanted = values.filter((clause) => !isNegative(clause))
  if (keys.length === 0 && wanted.length > 0) return some(clauses)
  return all([...keys.map(none), ...(wanted.length > 0 ? [some(wanted)] : []), ...values.filter(isNegative).map(none)])
}

function someEntry(family: FamilyName, clauses: readonly Comparison[], context: FilterContext): Fragment {
  if (family === 'feedback') return someFeedback(clauses, context)
  const pair = family === 'metadata' ? pairOf(clauses) : undefined
  if (pair !== undefined) return pair
  const conditions = clauses.map((clause) => (isKey(clause) ? onKey(clause) : onValue(clause)))
  return ENTRIES[family].some((key, value) => all(conditions.map((on) => on(key, value))), clauses.flatMap(hintOf))
}

/** One key and one value by equality, the usual case, is a look at the hashes. */
function pairOf(clauses: readonly Comparison[]): Fragment | undefined {
  const key = clauses.find(isKey)
  const value = clauses.find((clause) => !isKey(clause))
  if (clauses.length !== 2 || key?.op !== 'eq' || value?.op !== 'eq') return undefined
  return hasPair(String(key.value), value.value as FilterScalar)
}

const ENTRIES: Readonly<Record<Exclude<FamilyName, 'feedback'>, Entries>> = {
  metadata: METADATA,
  input: entriesOf('inputs'),
  output: entriesOf('outputs'),
}

function hintOf(clause: Comparison): EntryHint[] {
  const { op, value } = clause
  if ((op !== 'eq' && op !== 'like') || typeof value !== 'string') return []
  return [{ part: isKey(clause) ? 'key' : 'value', op, value }]
}

const isKey = ({ field }: Comparison) => field.endsWith('_key')

/** `neq(value, null)` asks for an entry that has one. */
function isNegative({ op, value }: Comparison): boolean {
  return op === 'nin' || op === 'notlike' || (op === 'neq' && value !== null)
}

function positive(clause: Comparison): Comparison {
  const op = clause.op === 'nin' ? 'in' : clause.op === 'notlike' ? 'like' : 'eq'
  return { ...clause, op }
}

/**
 * No entry has two keys: clauses that ask for different ones are meant as several pairs, each key with the values that
 * follow it.
 */
function split(clauses: readonly Comparison[]): Comparison[][] {
  const named = clauses.filter((clause) => isKey(clause) && (clause.op === 'eq' || clause.op === 'in'))
  const sets = named.map(({ value }) => new Set(Array.isArray(value) ? value : [value]))
  const isShared = sets.length < 2 || [...sets[0]!].some((name) => sets.every((set) => set.has(name)))
  if (isShared) return [[...clauses]]
  const pairs: Comparison[][] = []
  const leading: Comparison[] = []
  for (const clause of clauses) {
    if (named.includes(clause)) pairs.push(pairs.length === 0 ? [...leading, clause] : [clause])
    else (pairs.at(-1) ?? leading).push(clause)
  }
  return pairs
}
