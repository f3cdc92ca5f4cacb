import type { Comparison, FilterScalar } from '@touchstone/contract'
import { flattened } from '../../../storage/analytics/flatten.ts'
import { type Fragment, float, floats, literal, sql, text, texts } from '../../../storage/analytics/sql.ts'
import { all, any, FALSE, not } from './logic.ts'
import { contains, fits } from './pattern.ts'
import { couldContain } from './prefilter.ts'
import { ORDER } from './scalars.ts'

/** A condition on one entry, given SQL of its key and of its value. */
export type OnEntry = (key: Fragment, value: Fragment) => Fragment

/** The flattened entries of one JSON column. A string value is a `"` and its text, any other its JSON text. */
export interface Entries {
  /**
   * Whether some entry satisfies the condition.
   *
   * @param hints  equalities and patterns that the entry satisfies among others; they keep the search short
   */
  readonly some: (condition: OnEntry, hints?: readonly EntryHint[]) => Fragment
}

export interface EntryHint {
  readonly part: 'key' | 'value'
  readonly op: 'eq' | 'like'
  readonly value: FilterScalar
}

const DEPTH = 40

/** Entries of metadata, which stand in columns of their own. */
export const METADATA: Entries = {
  some(condition, hints = []) {
    const values = hints.filter(({ part, op, value }) => part === 'value' && op === 'eq' && !isNumeric(value))
    const indexed = values.map(({ value }) => sql`has(metadata.value, ${text(`"${value}`)})`)
    const exists = sql`arrayExists((k, v) -> ${condition(literal('k'), literal('v'))}, metadata.key, metadata.value)`
    return all([...indexed, exists])
  },
}

/**
 * Whether metadata has a key with exactly a value, by the hash of the pair. Two pairs share a hash once in 2^64, which
 * is less than a disk errs.
 *
 * @returns nothing where equality is more than sameness: numbers are written in many ways
 */
export function hasPair(key: string, value: FilterScalar): Fragment | undefined {
  if (typeof value === 'number' || isNumeric(value)) return undefined
  const entry = typeof value === 'string' ? `"${value}` : String(value)
  return sql`has(metadata_pairs, sipHash64(${text(key)}, ${text(entry)}))`
}

/** Entries of a payload, found when they are asked for; whatever cannot hold them is left out by its text first. */
export function entriesOf(column: 'inputs' | 'outputs' | 'extra'): Entries {
  const entries = literal(flattened(column, DEPTH))
  return {
    some(condition, hints = []) {
      const exists = sql`arrayExists(e -> ${condition(literal('e.1'), literal('e.2'))}, ${entries})`
      return sql`if(${couldContain(column, hints)}, ${exists}, false)`
    },
  }
}

export const keyIs =
  (name: string): OnEntry =>
  (key) =>
    sql`${key} = ${text(name)}`

/** The key itself, or one below it. */
export const keyIsOrHolds =
  (name: string): OnEntry =>
  (key) =>
    sql`(${key} = ${text(name)} or startsWith(${key}, ${text(`${name}.`)}))`

export function onKey({ op, value }: Comparison): OnEntry {
  return (key) => compareText(key, op, value)
}

export function onValue({ op, value }: Comparison): OnEntry {
  return (_key, entry) => compareValue(entry, op, value)
}

function compareText(key: Fragment, op: Comparison['op'], value: Comparison['value']): Fragment {
  switch (op) {
    case 'neq':
      return not(compareText(key, 'eq', value))
    case 'nin':
      return not(compareText(key, 'in', value))
    case 'notlike':
      return not(compareText(key, 'like', value))
    case 'in':
      return sql`${key} in ${texts((value as readonly FilterScalar[]).filter((one) => one !== null).map(String))}`
    case 'like':
      return fits(key, String(value))
    case 'search':
      return contains(key, String(value))
    default:
      return value === null ? FALSE : sql`${key} = ${text(String(value))}`
  }
}

function compareValue(entry: Fragment, op: Comparison['op'], value: Comparison['value']): Fragment {
  switch (op) {
    case 'neq':
      return not(compareValue(entry, 'eq', value))
    case 'nin':
      return not(compareValue(entry, 'in', value))
    case 'notlike':
      return not(compareValue(entry, 'like', value))
    case 'in':
      return equalsAny(entry, value as readonly FilterScalar[])
    case 'eq':
      return equalsValue(entry, value as FilterScalar)
    case 'like':
      return all([isText(entry), fits(textOf(entry), String(value))])
    case 'search':
      return all([isText(entry), contains(textOf(entry), String(value))])
    default:
      return isOrdered(entry, ORDER[op]!, value as FilterScalar)
  }
}

/** JSON types are kept apart, but a number in quotes also finds the number. */
function equalsValue(entry: Fragment, value: FilterScalar): Fragment {
  if (typeof value === 'number') return isNumber(entry, literal('='), value)
  if (typeof value !== 'string') return sql`${entry} = ${text(String(value))}`
  const same = sql`${entry} = ${text(`"${value}`)}`
  return isNumeric(value) ? any([same, isNumber(entry, literal('='), Number(value))]) : same
}

/** The same for a list: what is written as text is looked up in one set, what is a number in another. */
function equalsAny(entry: Fragment, list: readonly FilterScalar[]): Fragment {
  const written = list.filter((one) => typeof one !== 'number')
  const numbers = list.filter((one) => typeof one === 'number' || isNumeric(one)).map(Number)
  const conditions: Fragment[] = []
  if (written.length > 0) {
    conditions.push(
      sql`${entry} in ${texts(written.map((one) => (typeof one === 'string' ? `"${one}` : String(one))))}`,
    )
  }
  if (numbers.length > 0) conditions.push(sql`ifNull((toFloat64OrNull(${entry}) + 0) in ${floats(numbers)}, false)`)
  return any(conditions)
}

/** The same type and value, as containment asks for. */
export function equalsExactly(value: FilterScalar): OnEntry {
  return (_key, entry) => (typeof value === 'string' ? sql`${entry} = ${text(`"${value}`)}` : equalsValue(entry, value))
}

function isOrdered(entry: Fragment, order: Fragment, value: FilterScalar): Fragment {
  if (typeof value === 'number') return isNumber(entry, order, value)
  if (typeof value !== 'string') return FALSE
  const asText = sql`(${isText(entry)} and ${entry} ${order} ${text(`"${value}`)})`
  return isNumeric(value) ? any([asText, isNumber(entry, order, Number(value))]) : asText
}

const isText = (entry: Fragment) => sql`startsWith(${entry}, '"')`
const textOf = (entry: Fragment) => sql`substring(${entry}, 2)`
const isNumber = (entry: Fragment, order: Fragment, value: number) =>
  sql`ifNull(toFloat64OrNull(${entry}) ${order} ${float(value)}, false)`

export function isNumeric(value: FilterScalar): boolean {
  return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))
}
