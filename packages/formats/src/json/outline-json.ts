import { Digits } from './digits.ts'
import { parseExactJson } from './exact-json.ts'
import { endOfScalar, endOfString, skipSpace } from './lex-json.ts'

/** Limits of an outline; all derived columns need far less. */
const MAX_LEVELS = 12
const MAX_MEMBERS = 10_000
/**
 * Elements of a longer list that are kept, at its beginning and its end: the last message of a conversation matters
 * most.
 */
const FIRST_ELEMENTS = 1_000
const LAST_ELEMENTS = 1_000
const MAX_VALUES = 100_000
/** Part of the values that are left for the first elements of a list, and as much for its last: what follows needs the rest. */
const LIST_SHARE = 1 / 8
const INTEGER = /^-?\d+$/
/** Characters read to skip values, outside of strings: about 60 ms. */
const MAX_STEPS = 32 * 1024 * 1024
/** What it takes to skip a string, however long it is. */
const STRING_STEPS = 8

/** The outline of a JSON text. */
export interface Outline {
  readonly value: unknown
  /** Whether members of objects were left out, but for those of elements of lists. */
  readonly isCut: boolean
  /** Members of the outermost object with lists in them of which elements were left out. */
  readonly cutLists: ReadonlySet<string>
}

/**
 * Parses the part of a large JSON text that columns are derived from: members near the top. Deeper values and the
 * middle of long lists are left out, so that the time is limited for any text. An integer that JavaScript would round is
 * `Digits`.
 *
 * A long list leaves most of the values to what follows it, so that the usage after the tokens of a response is found. An object
 * that is read has all its texts and numbers, whatever its other members contain.
 *
 * @param text  must be valid JSON
 */
export function outlineJson(text: string): Outline {
  const reader = new OutlineReader(text)
  const value = reader.value(0, { left: MAX_VALUES })
  return { value, isCut: reader.isCut, cutLists: reader.cutLists }
}

/** Values that may still be read. */
interface Budget {
  left: number
}

class OutlineReader {
  isCut = false
  readonly cutLists = new Set<string>()
  private at = 0
  private steps = 0
  /** Lists around the current value. */
  private lists = 0
  /** The member of the outermost object that is read. */
  private outermost = ''

  constructor(private readonly text: string) {}

  value(level: number, budget: Budget): unknown {
    this.at = skipSpace(this.text, this.at)
    const first = this.text[this.at]
    budget.left--
    if (first !== '{' && first !== '[') return this.scalar()
    if (level >= MAX_LEVELS) return this.skip()
    if (budget.left <= 0 || this.steps >= MAX_STEPS) {
      this.noteCut()
      return this.skip()
    }
    return first === '{' ? this.object(level, budget) : this.list(level, budget)
  }

  private noteCut(): void {
    if (this.lists === 0) this.isCut = true
    else this.cutLists.add(this.outermost)
  }

  private scalar(): unknown {
    const start = this.at
    this.at = this.text[start] === '"' ? endOfString(this.text, start) : endOfScalar(this.text, start)
    const token = this.text.slice(start, this.at)
    return INTEGER.test(token) ? parseExactJson(token) : JSON.parse(token)
  }

  private object(level: number, budget: Budget): unknown {
    const members: [string, unknown][] = []
    for (this.at++; !this.isAtEnd('}'); this.afterValue()) {
      if (members.length === MAX_MEMBERS) {
        this.noteCut()
        this.skipRest()
        break
      }
      const start = this.at
      this.at = endOfString(this.text, start)
      const key = JSON.parse(this.text.slice(start, this.at)) as string
      this.at = skipSpace(this.text, this.at) + 1
      if (level === 0) this.outermost = key
      members.push([key, this.value(level + 1, budget)])
    }
    this.at++
    return Object.fromEntries(members)
  }

  private list(level: number, budget: Budget): unknown[] {
    const share = Math.floor(budget.left * LIST_SHARE)
    this.lists++
    const first: unknown[] = []
    const ofFirst = { left: share }
    for (this.at++; !this.isAtEnd(']') && first.length < FIRST_ELEMENTS && ofFirst.left > 0; this.afterValue()) {
      first.push(this.value(level + 1, ofFirst))
    }
    const rest = this.skipElements()
    const end = this.at
    const last: unknown[] = []
    const ofLast = { left: share }
    // From the end, so that the last element is whole.
    for (const start of rest.starts.toReversed()) {
      if (ofLast.left <= 0) break
      this.at = start
      last.push(this.value(level + 1, ofLast))
    }
    if (last.length < rest.count) this.cutLists.add(this.outermost)
    this.at = end + 1
    this.lists--
    budget.left -= 2 * share - Math.max(0, ofFirst.left) - Math.max(0, ofLast.left)
    return [...first, ...last.reverse()]
  }

  /** Moves to the bracket that closes the current list; where its last elements before it begin, and their number. */
  private skipElements(): { readonly starts: readonly number[]; readonly count: number } {
    if (this.isAtEnd(']')) return { starts: [], count: 0 }
    const starts = [this.at]
    const count = 1 + this.skipNested(1, starts)
    if (count <= LAST_ELEMENTS) return { starts, count }
    const oldest = count % LAST_ELEMENTS
    return { starts: [...starts.slice(oldest), ...starts.slice(0, oldest)], count }
  }

  private isAtEnd(bracket: '}' | ']'): boolean {
    this.at = skipSpace(this.text, this.at)
    return this.at >= this.text.length || this.text[this.at] === bracket
  }

  private afterValue(): void {
    this.at = skipSpace(this.text, this.at)
    if (this.text[this.at] === ',') this.at++
  }

  /** Moves to the bracket that closes the current object. */
  private skipRest(): void {
    this.skipNested(1)
  }

  private skip(): undefined {
    this.skipNested(0)
    this.at++
    return undefined
  }

  /**
   * Moves to the closing bracket; to the end of the text when the limit of steps is reached.
   *
   * @param starts  gets the beginnings of further elements of the list, of which the first is in it; a ring of the last ones
   * @returns the number of further elements
   */
  private skipNested(open: number, starts?: number[]): number {
    const { text } = this
    const start = this.at
    let end = Math.min(text.length, start + MAX_STEPS - this.steps)
    let inStrings = 0
    let depth = open
    let count = 0
    let at = start
    for (; at < end; at++) {
      const code = text.charCodeAt(at)
      if (code === 0x22) {
        const after = endOfString(text, at)
        inStrings += after - at - STRING_STEPS
        end = Math.min(text.length, start + inStrings + MAX_STEPS - this.steps)
        at = after - 1
      } else if (code === 0x2c) {
        if (starts !== undefined && depth === open) starts[++count % LAST_ELEMENTS] = at + 1
      }
      // Both opening brackets have this value with the bit 0x20, and both closing ones the other.
      else if ((code | 0x20) === 0x7b) depth++
      else if ((code | 0x20) === 0x7d && --depth === 0) break
    }
    this.at = at
    this.steps += at - start - inStrings
    if (this.steps >= MAX_STEPS) {
      this.at = text.length
      this.isCut = true
    }
    return count
  }
}

/** A scalar inside a JSON value, with its key, in the format of `flattened`. */
interface JsonEntry {
  /** Keys of nested objects joined by dots; elements of lists have the key of the list. */
  readonly key: string
  readonly value: JsonScalar
}

/** `Digits` is a number; another object or a list is one only when it is empty, or too deep to be expanded. */
export type JsonScalar = string | number | boolean | null | object

/**
 * Returns every scalar of a JSON value with its key, like the engine's `flattened`.
 *
 * @param depth  levels of nesting that are expanded
 */
export function flattenJson(value: unknown, depth: number, key = ''): JsonEntry[] {
  if (typeof value !== 'object' || value === null || value instanceof Digits)
    return [{ key, value: value as JsonScalar }]
  const inner = Array.isArray(value)
    ? value.map((item): [string, unknown] => [key, item])
    : Object.entries(value).map(([name, item]): [string, unknown] => [key === '' ? name : `${key}.${name}`, item])
  if (inner.length === 0 || depth === 0) return key === '' ? [] : [{ key, value }]
  return inner.flatMap(([path, item]) => flattenJson(item, depth - 1, path))
}

/**
 * A value as entries: a string is a `"` and its text, another scalar its JSON text, an unexpanded object or
 * list its brackets.
 */
export function entryText(value: JsonScalar): string {
  if (typeof value === 'string') return `"${value.toWellFormed()}`
  if (typeof value === 'object' && value !== null && !(value instanceof Digits))
    return Array.isArray(value) ? '[]' : '{}'
  return String(value)
}

const LENGTH = 240

/** Shortens a text to 240 characters, never inside a surrogate pair, and collapses white space. */
export function shorten(text: string, length: number = LENGTH): string {
  const head = text.slice(0, length * 2)
  // Most texts have no white space to collapse; always replacing took a fifth of the time of a run.
  const line = (NEEDS_FOLDING.test(head) ? head.replace(/\s+/g, ' ') : head).trim()
  if (line.length <= length && head.length === text.length) return line.toWellFormed()
  return `${line.slice(0, length - 1).toWellFormed()}…`
}

const NEEDS_FOLDING = /[\t\n\v\f\r]| {2}/
