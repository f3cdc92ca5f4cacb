import { Digits, parseKeepingDigits } from '@touchstone/formats/exact-json'
import { isRecord, type JsonRecord } from '@touchstone/formats/guards'
import { intAt } from '#lib/columns.ts'

/** One position in two JSON documents: the same, changed, added or removed. */
export interface JsonLine {
  kind: 'same' | 'changed' | 'added' | 'removed'
  depth: number
  /** Key or index; empty for the document itself. */
  key: string
  /** `inputs.messages[0].content` */
  path: string
  /** The printed value on each side. An object or list whose members follow prints as its opening bracket. */
  a?: string
  b?: string
  /** The closing bracket of the object or list of this path, not a value of its own. */
  isEnd?: true
}

/**
 * Compares two JSON documents. Members of objects are paired by key. Equal items of lists are paired in order, and the
 * items between them by index.
 *
 * @param a  JSON text; empty when there is no document
 */
export function diffJson(a: string, b: string): JsonLine[] {
  const lines: JsonLine[] = []
  const top = { depth: 0, key: '', path: '' }
  if (a === '' && b === '') return lines
  if (a === '') print(parseKeepingDigits(b), top, 'added', lines)
  else if (b === '') print(parseKeepingDigits(a), top, 'removed', lines)
  else compare(parseKeepingDigits(a), parseKeepingDigits(b), top, lines)
  return lines
}

interface Position {
  depth: number
  key: string
  path: string
}

function compare(a: unknown, b: unknown, place: Position, lines: JsonLine[]): void {
  if (isEmpty(a) && isEmpty(b) && Array.isArray(a) === Array.isArray(b)) print(a, place, 'same', lines)
  else if (Array.isArray(a) && Array.isArray(b)) compareItems(a, b, place, lines)
  else if (isRecord(a) && isRecord(b)) compareMembers(a, b, place, lines)
  else if (isEqual(a, b)) print(a, place, 'same', lines)
  else if (isContainer(a) || isContainer(b)) {
    print(a, place, 'removed', lines)
    print(b, place, 'added', lines)
  } else lines.push({ kind: 'changed', ...place, a: printValue(a), b: printValue(b) })
}

function compareMembers(a: JsonRecord, b: JsonRecord, place: Position, lines: JsonLine[]): void {
  lines.push({ kind: 'same', ...place, a: '{', b: '{' })
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    compareOne(a, b, key, toMemberPosition(place, key), lines)
  }
  close('}', place, 'same', lines)
}

function compareOne(a: JsonRecord, b: JsonRecord, key: string, place: Position, lines: JsonLine[]): void {
  const [inA, inB] = [Object.hasOwn(a, key), Object.hasOwn(b, key)]
  if (inA && inB) compare(a[key], b[key], place, lines)
  else if (inA) print(a[key], place, 'removed', lines)
  else print(b[key], place, 'added', lines)
}

function compareItems(a: readonly unknown[], b: readonly unknown[], place: Position, lines: JsonLine[]): void {
  lines.push({ kind: 'same', ...place, a: '[', b: '[' })
  const [keysA, keysB] = [a.map((item) => JSON.stringify(item)), b.map((item) => JSON.stringify(item))]
  const pairs = [...equalItems(keysA, keysB), [a.length, b.length] as const]
  let [i, j] = [0, 0]
  for (const [nextA, nextB] of pairs) {
    // Items between two equal items are paired by index; the rest of the longer side is added or removed.
    while (i < nextA || j < nextB) {
      if (i < nextA && j < nextB) compare(a[i++], b[j++], toItemPosition(place, j - 1), lines)
      else if (i < nextA) print(a[i++], toItemPosition(place, i - 1), 'removed', lines)
      else print(b[j++], toItemPosition(place, j - 1), 'added', lines)
    }
    if (nextA < a.length && nextB < b.length) print(a[i++], toItemPosition(place, j++), 'same', lines)
  }
  close(']', place, 'same', lines)
}

/** With more pairs than this, items between the equal ends of two lists are paired by index. */
const MOST_PAIRS = 4_000_000

/** Indices of equal items, in the same order in both lists. */
function equalItems(a: readonly string[], b: readonly string[]): [number, number][] {
  const head: [number, number][] = []
  while (head.length < a.length && head.length < b.length && a[head.length] === b[head.length]) {
    head.push([head.length, head.length])
  }
  const tail: [number, number][] = []
  let [endA, endB] = [a.length, b.length]
  while (endA > head.length && endB > head.length && a[endA - 1] === b[endB - 1]) tail.unshift([--endA, --endB])
  const start = head.length
  const [rows, columns] = [endA - start, endB - start]
  const middle: [number, number][] = []
  if (rows * columns > 0 && rows * columns <= MOST_PAIRS) {
    // Length of the longest common subsequence from items i and j on, row by row.
    const width = columns + 1
    const table = new Uint32Array((rows + 1) * width)
    for (let i = rows - 1; i >= 0; i--) {
      for (let j = columns - 1; j >= 0; j--) {
        const at = i * width + j
        table[at] =
          a[start + i] === b[start + j]
            ? intAt(table, at + width + 1) + 1
            : Math.max(intAt(table, at + width), intAt(table, at + 1))
      }
    }
    for (let i = 0, j = 0; i < rows && j < columns; ) {
      if (a[start + i] === b[start + j]) middle.push([start + i++, start + j++])
      else if (intAt(table, (i + 1) * width + j) >= intAt(table, i * width + j + 1)) i++
      else j++
    }
  }
  return [...head, ...middle, ...tail]
}

type Unpaired = Exclude<JsonLine['kind'], 'changed'>

function print(value: unknown, place: Position, kind: Unpaired, lines: JsonLine[]): void {
  const text = Array.isArray(value) ? (value.length > 0 ? '[' : '[]') : isRecord(value) ? '{' : printValue(value)
  lines.push({ kind, ...place, ...toSides(kind, isRecord(value) && isEmpty(value) ? '{}' : text) })
  if (Array.isArray(value) && value.length > 0) {
    value.forEach((item, index) => {
      print(item, toItemPosition(place, index), kind, lines)
    })
    close(']', place, kind, lines)
  } else if (isRecord(value) && !isEmpty(value)) {
    for (const [key, member] of Object.entries(value)) print(member, toMemberPosition(place, key), kind, lines)
    close('}', place, kind, lines)
  }
}

function close(bracket: string, { depth, path }: Position, kind: Unpaired, lines: JsonLine[]): void {
  lines.push({ kind, depth, key: '', path, ...toSides(kind, bracket), isEnd: true })
}

function toSides(kind: Unpaired, text: string): Pick<JsonLine, 'a' | 'b'> {
  return { ...(kind !== 'added' && { a: text }), ...(kind !== 'removed' && { b: text }) }
}

function isContainer(value: unknown): boolean {
  return Array.isArray(value) || isRecord(value)
}

function isEmpty(value: unknown): boolean {
  return isContainer(value) && Object.keys(value as object).length === 0
}

function isEqual(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

function toMemberPosition({ depth, path }: Position, key: string): Position {
  const isPlain = /^[A-Za-z_$][\w$]*$/.test(key)
  return { depth: depth + 1, key, path: isPlain ? (path ? `${path}.${key}` : key) : `${path}[${JSON.stringify(key)}]` }
}

function toItemPosition({ depth, path }: Position, index: number): Position {
  return { depth: depth + 1, key: String(index), path: `${path}[${index}]` }
}

function printValue(value: unknown): string {
  return value instanceof Digits ? String(value) : JSON.stringify(value)
}
