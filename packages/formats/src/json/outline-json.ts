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
const MAX_VALUES = 50_000
const INTEGER = /^-?\d+$/
/** Characters read outside of strings: about 50 ms. */
const MAX_STEPS = 8 * 1024 * 1024

/**
 * Parses the part of a large JSON text that columns are derived from: members near the top. Deeper values and the
 * middle of long lists are left out, so that the time is limited for any text. An integer that JavaScript would round is
 * `Digits`.
 *
 * @param text  must be valid JSON
 */
export function outlineJson(text: string): unknown {
  return new Outline(text).value(0)
}

class Outline {
  private at = 0
  private values = 0
  private steps = 0

  constructor(private readonly text: string) {}

  value(level: number): unknown {
    this.at = skipSpace(this.text, this.at)
    const first = this.text[this.at]
    if (first !== '{' && first !== '[') return this.scalar()
    if (level >= MAX_LEVELS || this.isFull()) return this.skip()
    this.values++
    return first === '{' ? this.object(level) : this.list(level)
  }

  private isFull(): boolean {
    return this.values > MAX_VALUES || this.steps > MAX_STEPS
  }

  private scalar(): unknown {
    const start = this.at
    this.at = this.text[start] === '"' ? endOfString(this.text, start) : endOfScalar(this.text, start)
    this.values++
    const token = this.text.slice(start, this.at)
    return INTEGER.test(token) ? parseExactJson(token) : JSON.parse(token)
  }

  private object(level: number): unknown {
    const members: [string, unknown][] = []
    for (this.at++; !this.isAtEnd('}'); this.afterValue()) {
      if (members.length === MAX_MEMBERS || this.isFull()) {
        this.skipRest()
        break
      }
      const start = this.at
      this.at = endOfString(this.text, start)
      const key = JSON.parse(this.text.slice(start, this.at)) as string
      this.at = skipSpace(this.text, this.at) + 1
      members.push([key, this.value(level + 1)])
    }
    this.at++
    return Object.fromEntries(members)
  }

  private list(level: number): unknown[] {
    const first: unknown[] = []
    const last: unknown[] = []
    for (this.at++; !this.isAtEnd(']'); this.afterValue()) {
      if (this.isFull()) {
        this.skipRest()
        break
      }
      const value = this.value(level + 1)
      if (first.length < FIRST_ELEMENTS) first.push(value)
      else {
        last.push(value)
        if (last.length === LAST_ELEMENTS * 2) last.splice(0, LAST_ELEMENTS)
      }
    }
    this.at++
    return [...first, ...last.slice(-LAST_ELEMENTS)]
  }

  private isAtEnd(bracket: '}' | ']'): boolean {
    this.at = skipSpace(this.text, this.at)
    return this.at >= this.text.length || this.text[this.at] === bracket
  }

  private afterValue(): void {
    this.at = skipSpace(this.text, this.at)
    if (this.text[this.at] === ',') this.at++
  }

  /** Moves to the bracket that closes the current object or list. */
  private skipRest(): void {
    this.at = this.endOfOpen(1)
  }

  private skip(): undefined {
    this.at = this.endOfOpen(0) + 1
    return undefined
  }

  /** Index of the closing bracket; the end of the text when the limit of characters is reached. */
  private endOfOpen(open: number): number {
    const { text } = this
    let depth = open
    for (let at = this.at; at < text.length; at++) {
      if (++this.steps > MAX_STEPS) return text.length
      const code = text.charCodeAt(at)
      if (code === 0x22) at = endOfString(text, at) - 1
      else if (code === 0x7b || code === 0x5b) depth++
      else if ((code === 0x7d || code === 0x5d) && --depth === 0) return at
    }
    return text.length
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
