import { ApiError, type Comparison, type FilterScalar } from '@touchstone/contract'
import { Digits, parseExactJson } from '@touchstone/formats/exact-json'
import { asRecord, type JsonRecord } from '@touchstone/formats/guards'
import { flattenJson } from '@touchstone/formats/outline-json'
import {
  all,
  any,
  containsText,
  type Fragment,
  join,
  literal,
  matchesPattern,
  not,
  sql,
  text,
  texts,
} from '../../../storage/analytics/sql.ts'
import type { Clause } from './context.ts'
import {
  compareEntryValue,
  couldContain,
  ENTRIES,
  type Entries,
  type EntryHint,
  equalsExactly,
  hasMetadataPair,
  keyEquals,
  keyEqualsOrStartsWith,
} from './entries.ts'

/**
 * Compares the value at a path such as `metadata.user_id`. Where a path has several values, one of them must match.
 *
 * @param comparison  positive
 */
export function comparePath(comparison: Comparison): Fragment {
  const { op, value, field } = comparison
  const dot = field.indexOf('.')
  const root = field.slice(0, dot)
  const key = field.slice(dot + 1)
  const entries = getEntries(root)
  if (op === 'eq' && value === null) return not(isPresent(entries, key))
  if (op === 'eq' && root === 'metadata') {
    const pair = hasMetadataPair(key, value as FilterScalar)
    if (pair !== undefined) return pair
  }
  const hints: EntryHint[] = [{ part: 'key', op: 'eq', value: key }]
  if ((op === 'eq' || op === 'like') && typeof value === 'string') hints.push({ part: 'value', op, value })
  const valueMatches = compareEntryValue(comparison)
  return entries.some((k, v) => join([keyEquals(key)(k, v), valueMatches(k, v)]), hints)
}

/** The level at which `has` stops opening nested values; no payload is opened deeper. */
const MAX_DEPTH = 100

/** Pairs in one `has`; each becomes a condition of its own. */
const MAX_PAIRS = 100

/** Whether the key, or a key below it, exists. */
export function hasKey(root: string, key: string): Fragment {
  return getEntries(root).some(keyEqualsOrStartsWith(key))
}

/**
 * Whether a payload contains all pairs of a JSON object. Nested objects are compared pair by pair, elements of lists in
 * any order. A text that is not a JSON object is a key that must exist.
 *
 * @throws ApiError INVALID_REQUEST when there are too many pairs
 */
export function containsPairs(root: string, json: string): Fragment {
  const wanted = parsePairs(json)
  if (wanted === undefined) return hasKey(root, json)
  const pairs = flattenJson(wanted, MAX_DEPTH)
  if (pairs.length > MAX_PAIRS) {
    const found = `found ${pairs.length} pairs, at most ${MAX_PAIRS} are allowed`
    throw new ApiError('INVALID_REQUEST', `Invalid filter: has(${root}, …) asks for too much: ${found}`)
  }
  return all(
    pairs.map(({ key, value }) => {
      const isNumber = value instanceof Digits
      if (typeof value === 'object' && value !== null && !isNumber) return hasKey(root, key)
      const pair = root === 'metadata' && !isNumber ? hasMetadataPair(key, value) : undefined
      if (pair !== undefined) return pair
      const valueEquals = equalsExactly(value)
      return getEntries(root).some(
        (k, v) => join([keyEquals(key)(k, v), valueEquals(k, v)]),
        [{ part: 'key', op: 'eq', value: key }],
      )
    }),
  )
}

function parsePairs(json: string): JsonRecord | undefined {
  try {
    return asRecord(parseExactJson(json))
  } catch {
    return undefined
  }
}

function isPresent(entries: Entries, key: string): Fragment {
  const below = keyEqualsOrStartsWith(key)
  return entries.some((k, v) => sql`(${below(k, v)} and not (${keyEquals(key)(k, v)} and ${v} = 'null'))`)
}

function getEntries(root: string): Entries {
  const entries = ENTRIES.get(root)
  if (entries === undefined) throw new Error(`${root} has no entries`)
  return entries
}

/** Compares a payload as one text with a positive clause: its JSON without whitespace between the tokens. */
export function comparePayload(column: 'inputs' | 'outputs', { op, value }: Clause): Fragment {
  switch (op) {
    case 'in':
      return isAnyOf(column, value as readonly FilterScalar[])
    case 'eq':
      if (value === null) return sql`${literal(column)} = ''`
      return sql`${compactJson(column)} = ${text(String(value))}`
    case 'like':
      return all([
        couldContain(column, [{ part: 'value', op: 'like', value: String(value) }]),
        matchesPattern(compactJson(column), String(value)),
      ])
    default:
      return all([
        couldContain(column, [{ part: 'value', op: 'like', value: `%${String(value)}%` }]),
        containsText(compactJson(column), String(value)),
      ])
  }
}

function isAnyOf(column: 'inputs' | 'outputs', list: readonly FilterScalar[]): Fragment {
  const values = list.filter((item) => item !== null).map(String)
  const conditions = values.length < list.length ? [comparePayload(column, { op: 'eq', value: null })] : []
  if (values.length > 0) conditions.push(sql`${compactJson(column)} in ${texts(values)}`)
  return any(conditions)
}

function compactJson(column: 'inputs' | 'outputs'): Fragment {
  return literal(`if(isValidJSON(${column}), JSONExtractRaw(${column}), ${column})`)
}
