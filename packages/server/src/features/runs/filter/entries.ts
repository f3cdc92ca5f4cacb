import { type FilterScalar, isLongInteger } from '@touchstone/contract'
import { Digits } from '@touchstone/formats/exact-json'
import { flattened } from '../../../storage/analytics/index-expressions.ts'
import {
  all,
  any,
  containsText,
  FALSE,
  type Fragment,
  float,
  floats,
  literal,
  matchesPattern,
  sql,
  text,
  texts,
} from '../../../storage/analytics/sql.ts'
import { type Clause, withNegation } from './context.ts'
import { getOrderSign } from './scalars.ts'
import { hasIndexedWords, isIndexedWord, splitWords } from './words.ts'

/** A condition on one entry, given the SQL of its key and of its value. */
export type EntryCondition = (key: Fragment, value: Fragment) => Fragment

/** The flattened entries of one JSON column. A string value is stored as `"` and its text, any other as its JSON text. */
export interface Entries {
  /**
   * Whether an entry satisfies the condition.
   *
   * @param hints  equalities and patterns that are part of the condition; they narrow the search
   */
  readonly some: (condition: EntryCondition, hints?: readonly EntryHint[]) => Fragment
}

export interface EntryHint {
  readonly part: 'key' | 'value'
  readonly op: 'eq' | 'like'
  readonly value: FilterScalar
}

type PayloadColumn = 'inputs' | 'outputs' | 'extra'

const DEPTH = 40

/** Entries of metadata; they have columns of their own. */
export const METADATA: Entries = {
  some(condition, hints = []) {
    const values = hints.filter(({ part, op, value }) => part === 'value' && op === 'eq' && !isNumeric(value))
    const indexed = values.map(({ value }) => sql`has(metadata.value, ${text(`"${value}`)})`)
    const exists = sql`arrayExists((k, v) -> ${condition(literal('k'), literal('v'))}, metadata.key, metadata.value)`
    return all([...indexed, exists])
  },
}

/** Entries of a payload, extracted at query time. Payloads whose text cannot contain the entry are skipped first. */
function payloadEntries(column: PayloadColumn): Entries {
  const entries = literal(flattened(column, DEPTH))
  return {
    some(condition, hints = []) {
      const exists = sql`arrayExists(e -> ${condition(literal('e.1'), literal('e.2'))}, ${entries})`
      return sql`if(${couldContain(column, hints)}, ${exists}, false)`
    },
  }
}

export const INPUTS = payloadEntries('inputs')
export const OUTPUTS = payloadEntries('outputs')

/** Entries by the first segment of a path. */
export const ENTRIES: ReadonlyMap<string, Entries> = new Map([
  ['metadata', METADATA],
  ['inputs', INPUTS],
  ['outputs', OUTPUTS],
  ['extra', payloadEntries('extra')],
])

/**
 * Whether metadata has exactly this pair, by the hash of the pair. Two pairs share a 64-bit hash with a probability below
 * that of a disk error.
 *
 * @returns `undefined` for numbers, which have several equal spellings
 */
export function hasMetadataPair(key: string, value: FilterScalar): Fragment | undefined {
  if (typeof value === 'number' || isNumeric(value)) return undefined
  return sql`has(metadata_pairs, sipHash64(${text(key)}, ${text(toEntryText(value))}))`
}

export const keyEquals =
  (name: string): EntryCondition =>
  (key) =>
    sql`${key} = ${text(name)}`

/** The key itself, or a key below it. */
export const keyEqualsOrStartsWith =
  (name: string): EntryCondition =>
  (key) =>
    sql`(${key} = ${text(name)} or startsWith(${key}, ${text(`${name}.`)}))`

export function compareEntryKey(clause: Clause): EntryCondition {
  return (key) => compareKey(clause, key)
}

export function compareEntryValue(clause: Clause): EntryCondition {
  return (_key, entry) => compareValue(clause, entry)
}

const compareKey = withNegation(({ op, value }: Clause, key: Fragment): Fragment => {
  switch (op) {
    case 'in':
      return sql`${key} in ${texts((value as readonly FilterScalar[]).filter((item) => item !== null).map(String))}`
    case 'like':
      return matchesPattern(key, String(value))
    case 'search':
      return containsText(key, String(value))
    default:
      return value === null ? FALSE : sql`${key} = ${text(String(value))}`
  }
})

const compareValue = withNegation(({ op, value }: Clause, entry: Fragment): Fragment => {
  switch (op) {
    case 'in':
      return equalsAny(entry, value as readonly FilterScalar[])
    case 'eq':
      return equalsValue(entry, value as FilterScalar)
    case 'like':
      return all([isText(entry), matchesPattern(toText(entry), String(value))])
    case 'search':
      return all([isText(entry), containsText(toText(entry), String(value))])
    default:
      return compareOrdered(entry, getOrderSign(op), value as FilterScalar)
  }
})

/**
 * A number finds the same number and texts of it; emitters of OpenTelemetry send many numbers as texts. Text finds exactly this
 * text, and the number that it is. Other types are distinct.
 */
function equalsValue(entry: Fragment, value: FilterScalar): Fragment {
  if (typeof value === 'number') return sql`ifNull(${readNumber(entry)} = ${float(value)}, false)`
  if (isLongInteger(value)) return equalsAny(entry, [value])
  const same = sql`${entry} = ${text(toEntryText(value))}`
  return isNumeric(value) ? any([same, equalsNumber(entry, Number(value))]) : same
}

/** Like `equalsValue` for a list: one set of texts and one set of numbers. */
function equalsAny(entry: Fragment, list: readonly FilterScalar[]): Fragment {
  const numbers = list.filter((item) => typeof item === 'number')
  const long = list.filter(isLongInteger)
  const written = [...list.filter((item) => typeof item !== 'number').map(toEntryText), ...long.map(String)]
  const numeric = list.filter((item) => isNumeric(item) && !isLongInteger(item)).map(Number)
  const conditions: Fragment[] = []
  const isAny = (number: Fragment, values: readonly number[]) =>
    sql`ifNull((${number} + 0) in ${floats(values)}, false)`
  if (written.length > 0) conditions.push(sql`${entry} in ${texts(written)}`)
  if (numbers.length > 0) conditions.push(isAny(readNumber(entry), numbers))
  if (numeric.length > 0) conditions.push(isAny(sql`toFloat64OrNull(${entry})`, numeric))
  // Numbers with a fraction or an exponent; integers have one spelling, which is among the texts.
  const inexact = sql`not ${matchesInteger(entry)} and ${isAny(sql`toFloat64OrNull(${entry})`, long.map(Number))}`
  if (long.length > 0) conditions.push(sql`(${inexact})`)
  return any(conditions)
}

/** The same type and value, as `has` requires. */
export function equalsExactly(value: FilterScalar | Digits): EntryCondition {
  if (value instanceof Digits) return (_key, entry) => sql`${entry} = ${text(String(value))}`
  return (_key, entry) =>
    typeof value === 'number' ? equalsNumber(entry, value) : sql`${entry} = ${text(toEntryText(value))}`
}

/** Two texts of numbers are ordered as numbers: emitters of OpenTelemetry send many numbers as texts. */
function compareOrdered(entry: Fragment, sign: Fragment, value: FilterScalar): Fragment {
  if (typeof value !== 'number' && typeof value !== 'string') return FALSE
  const asText = sql`(${isText(entry)} and ${entry} ${sign} ${text(toEntryText(value))})`
  if (typeof value === 'string' && !isNumeric(value)) return asText
  const number = readNumber(entry)
  const digits = sql`substring(${entry}, 1 + ${isText(entry)})`
  const asFloat = sql`${number} ${sign} ${float(Number(value))}`
  const asNumber = isLongInteger(value)
    ? sql`if(${matchesInteger(digits)}, toInt256OrZero(${digits}) ${sign} toInt256OrZero(${text(value)}), ${asFloat})`
    : asFloat
  return typeof value === 'number'
    ? sql`ifNull(${asNumber}, false)`
    : sql`if(isNull(${number}), ${asText}, ${asNumber})`
}

/** The number that an entry is or whose text it is, else null. `inf` and `nan` are words. */
function readNumber(entry: Fragment): Fragment {
  const parsed = sql`toFloat64OrNull(substring(${entry}, 1 + ${isText(entry)}))`
  return sql`if(${isText(entry)} and not ifNull(isFinite(${parsed}), false), null, ${parsed})`
}

const toEntryText = (value: FilterScalar) => (typeof value === 'string' ? `"${value}` : String(value))
const isText = (entry: Fragment) => sql`startsWith(${entry}, '"')`
const toText = (entry: Fragment) => sql`substring(${entry}, 2)`
/** Whether an entry is this number, and no text of it. */
const equalsNumber = (entry: Fragment, value: number) => sql`ifNull(toFloat64OrNull(${entry}) = ${float(value)}, false)`

const matchesInteger = (digits: Fragment) => sql`match(${digits}, '^-?[0-9]{1,76}$')`

function isNumeric(value: FilterScalar): boolean {
  return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))
}

/**
 * A cheap condition that every payload with such an entry satisfies, and few others: extracting the entries of a payload
 * costs a hundred times more than a search in its text. Only letters and digits are searched for, because no client
 * escapes them.
 */
export function couldContain(column: PayloadColumn, hints: readonly EntryHint[]): Fragment {
  return all([sql`${literal(column)} != ''`, ...hints.flatMap((hint) => toTextConditions(column, hint))])
}

function toTextConditions(column: PayloadColumn, { part, op, value }: EntryHint): Fragment[] {
  if (typeof value !== 'string') return []
  if (op === 'like') return value === '' ? [] : containsLongest(column, value.split('%').map(findPlainText))
  if (part === 'key') return containsLongest(column, [findPlainText(value.slice(value.lastIndexOf('.') + 1))])
  if (Number.isFinite(Number(value))) return []
  const words = column === 'extra' ? [] : splitWords(value).filter(isIndexedWord)
  return words.length > 0 ? [hasIndexedWords(words)] : containsLongest(column, [findPlainText(value)])
}

function containsLongest(column: PayloadColumn, parts: readonly string[]): Fragment[] {
  const longest = findLongest(parts)
  return longest === '' ? [] : [sql`positionCaseInsensitive(${literal(column)}, ${text(longest)}) > 0`]
}

/** The longest sequence of letters, digits and spaces. */
function findPlainText(value: string): string {
  return findLongest(value.match(/[A-Za-z0-9]+(?: [A-Za-z0-9]+)*/g) ?? [])
}

function findLongest(texts: readonly string[]): string {
  return texts.reduce((longest, next) => (next.length > longest.length ? next : longest), '')
}
