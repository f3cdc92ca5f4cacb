/** One place in a JSON document where it stays, differs, comes or goes. */
export interface JsonLine {
  kind: 'same' | 'changed' | 'added' | 'removed'
  depth: number
  /** Key or index; empty for the document itself. */
  key: string
  /** `inputs.messages[0].content` */
  path: string
  /** How the value is printed on either side; an object or list that holds the lines below prints as its bracket. */
  a?: string
  b?: string
}

/**
 * Two JSON documents place by place. Members of objects are paired by key; items of lists by what is equal, in order,
 * and what stands between equal items by position.
 *
 * @param a  JSON text; the empty text where there is nothing
 */
export function diffJson(a: string, b: string): JsonLine[] {
  const lines: JsonLine[] = []
  const top = { depth: 0, key: '', path: '' }
  if (a === '' && b === '') return lines
  if (a === '') print(parseExact(b), top, 'added', lines)
  else if (b === '') print(parseExact(a), top, 'removed', lines)
  else compare(parseExact(a), parseExact(b), top, lines)
  return lines
}

interface Place {
  depth: number
  key: string
  path: string
}

function compare(a: unknown, b: unknown, place: Place, lines: JsonLine[]): void {
  if (Array.isArray(a) && Array.isArray(b)) compareItems(a, b, place, lines)
  else if (isObject(a) && isObject(b)) compareMembers(a, b, place, lines)
  else if (isEqual(a, b)) print(a, place, 'same', lines)
  else if (isHolder(a) || isHolder(b)) {
    print(a, place, 'removed', lines)
    print(b, place, 'added', lines)
  } else lines.push({ kind: 'changed', ...place, a: printed(a), b: printed(b) })
}

function compareMembers(a: Members, b: Members, place: Place, lines: JsonLine[]): void {
  lines.push({ kind: 'same', ...place, a: '{', b: '{' })
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    compareOne(a, b, key, memberOf(place, key), lines)
  }
}

function compareOne(a: Members, b: Members, key: string, place: Place, lines: JsonLine[]): void {
  const [inA, inB] = [Object.hasOwn(a, key), Object.hasOwn(b, key)]
  if (inA && inB) compare(a[key], b[key], place, lines)
  else if (inA) print(a[key], place, 'removed', lines)
  else print(b[key], place, 'added', lines)
}

function compareItems(a: readonly unknown[], b: readonly unknown[], place: Place, lines: JsonLine[]): void {
  lines.push({ kind: 'same', ...place, a: '[', b: '[' })
  const [keysA, keysB] = [a.map((item) => JSON.stringify(item)), b.map((item) => JSON.stringify(item))]
  const pairs = [...equalItems(keysA, keysB), [a.length, b.length] as const]
  let [i, j] = [0, 0]
  for (const [nextA, nextB] of pairs) {
    // What stands between two equal items took each other's place, as far as there is enough on both sides.
    while (i < nextA || j < nextB) {
      if (i < nextA && j < nextB) compare(a[i++], b[j++], itemOf(place, j - 1), lines)
      else if (i < nextA) print(a[i++], itemOf(place, i - 1), 'removed', lines)
      else print(b[j++], itemOf(place, j - 1), 'added', lines)
    }
    if (nextA < a.length && nextB < b.length) print(a[i++], itemOf(place, j++), 'same', lines)
  }
}

/** Beyond this many pairs, items between the equal ends of two lists are paired by position. */
const MOST_PAIRS = 4_000_000

/** Indices of items that are equal, in order in both lists. */
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
    const table = Array.from({ length: rows + 1 }, () => new Uint32Array(columns + 1))
    for (let i = rows - 1; i >= 0; i--) {
      for (let j = columns - 1; j >= 0; j--) {
        table[i]![j] =
          a[start + i] === b[start + j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!)
      }
    }
    for (let i = 0, j = 0; i < rows && j < columns; ) {
      if (a[start + i] === b[start + j]) middle.push([start + i++, start + j++])
      else if (table[i + 1]![j]! >= table[i]![j + 1]!) i++
      else j++
    }
  }
  return [...head, ...middle, ...tail]
}

function print(value: unknown, place: Place, kind: 'same' | 'added' | 'removed', lines: JsonLine[]): void {
  const text = Array.isArray(value) ? (value.length > 0 ? '[' : '[]') : isObject(value) ? '{' : printed(value)
  const isEmpty = isObject(value) && Object.keys(value).length === 0
  const shown = isEmpty ? '{}' : text
  lines.push({ kind, ...place, ...(kind === 'added' ? {} : { a: shown }), ...(kind === 'removed' ? {} : { b: shown }) })
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      print(item, itemOf(place, index), kind, lines)
    })
  } else if (isObject(value)) {
    for (const [key, member] of Object.entries(value)) print(member, memberOf(place, key), kind, lines)
  }
}

type Members = Record<string, unknown>

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
}

function isHolder(value: unknown): boolean {
  return Array.isArray(value) || isObject(value)
}

function isEqual(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

function memberOf({ depth, path }: Place, key: string): Place {
  const isPlain = /^[A-Za-z_$][\w$]*$/.test(key)
  return { depth: depth + 1, key, path: isPlain ? (path ? `${path}.${key}` : key) : `${path}[${JSON.stringify(key)}]` }
}

function itemOf({ depth, path }: Place, index: number): Place {
  return { depth: depth + 1, key: String(index), path: `${path}[${index}]` }
}

function printed(value: unknown): string {
  return value instanceof ExactNumber ? value.digits : JSON.stringify(value)
}

/** A number that JavaScript's own would round. */
class ExactNumber {
  constructor(readonly digits: string) {}

  toJSON(): string {
    return `number ${this.digits}`
  }
}

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g

/** Parses JSON and keeps numbers as they are written wherever a float would print them otherwise. */
function parseExact(text: string): unknown {
  const exact: string[] = []
  // A key that no document can hold on purpose.
  const mark = `number ${Math.random()}`
  const marked = text.replace(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : `{"${mark}":${exact.push(token) - 1}}`,
  )
  if (exact.length === 0) return JSON.parse(text)
  return JSON.parse(marked, (_, value) =>
    isObject(value) && Object.hasOwn(value, mark) ? new ExactNumber(exact[value[mark] as number]!) : value,
  )
}
