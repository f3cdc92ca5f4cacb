import { parseTime } from '../wire/parse-time.ts'
import { parseUuid } from '../wire/parse-uuid.ts'
import { FilterError } from './error.ts'
import type { FieldType } from './fields.ts'
import type { Node } from './syntax.ts'
import { shown } from './tokens.ts'
import type { FilterScalar } from './tree.ts'

const UNIT_SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 }
const DURATION = /^(-?\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/

/**
 * A value as its field stores it.
 *
 * @throws FilterError when it is no value, or not one of the field's type
 */
export function readScalar(node: Node, type: FieldType): FilterScalar {
  if (node.kind === 'name')
    throw new FilterError(node.at, `found ${shown(node.name)}; text stands in quotes: "${shown(node.name)}"`)
  if (node.kind !== 'value') throw new FilterError(node.at, 'expected a single value')
  if (node.value === null) return null
  const value = READERS[type](node.value, node.written)
  if (value === undefined) throw new FilterError(node.at, `found ${quoted(node.value)}, expected ${EXPECTED[type]}`)
  return value
}

/** Whether a value of an entry is an integer that JavaScript would round: it is text, with its digits. Engines hold 76 of them. */
export function isLongInteger(value: FilterScalar): value is string {
  return typeof value === 'string' && /^-?\d{1,76}$/.test(value) && !Number.isSafeInteger(Number(value))
}

const quoted = (value: Given) => JSON.stringify(typeof value === 'string' ? shown(value) : value)

type Given = string | number | boolean
/** @param written  a number as it was written, when JavaScript prints it in another way */
type Read = (value: Given, written?: string) => Given | undefined

const asText: Read = (value, written) => written ?? String(value)
const asIs: Read = (value, written) => (written !== undefined && isLongInteger(written) ? written : value)

const READERS: Readonly<Record<FieldType, Read>> = {
  id: (value) => parseUuid(value),
  text: asText,
  word: (value, written) => (written ?? String(value)).toLowerCase(),
  boolean: readBoolean,
  time: (value) => (typeof value === 'boolean' ? undefined : parseTime(value)),
  duration: readDuration,
  number: readNumber,
  tags: asText,
  payload: asText,
  metadata: () => undefined,
  'entry-key': asText,
  'entry-value': asIs,
  path: asIs,
}

const EXPECTED: Readonly<Record<FieldType, string>> = {
  id: 'a UUID',
  text: 'text',
  word: 'text',
  boolean: 'true or false',
  time: 'a time such as "2025-07-10T04:42:19Z"',
  duration: 'seconds, or text such as "1.5s", "200ms" or "5m"',
  number: 'a number',
  tags: 'text',
  payload: 'text',
  metadata: 'null; ask by has(metadata, …), exists(metadata, …) or a path such as metadata.user_id',
  'entry-key': 'text',
  'entry-value': 'a value',
  path: 'a value',
}

function readBoolean(value: Given): boolean | undefined {
  if (typeof value === 'boolean') return value
  const text = String(value).toLowerCase()
  return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : undefined
}

function readNumber(value: Given): number | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0
  const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value)
  return Number.isFinite(number) ? number : undefined
}

function readDuration(value: Given): number | undefined {
  if (typeof value === 'number') return value
  const [, count, unit = 's'] = DURATION.exec(String(value).trim()) ?? []
  if (count === undefined) return undefined
  // Through an integer of microseconds: 0.2 * 3 would not be 0.6.
  const seconds = Math.round(Number(count) * UNIT_SECONDS[unit]! * 1e6) / 1e6
  return Number.isFinite(seconds) ? seconds : undefined
}
