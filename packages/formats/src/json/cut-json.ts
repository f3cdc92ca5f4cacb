import { endOfString, endOfValue, skipSpace } from './lex-json.ts'
import { printObject } from './write-object.ts'

/**
 * Splits valid JSON text into the text of its members without printing it again, so that big integers, key order,
 * escapes and duplicate keys inside the members stay unchanged. Every function expects text that `JSON.parse` accepts.
 */

/** Returns the text of each member of an object by key; of duplicate keys the last one, like `JSON.parse`. */
export function splitMembers(object: string): Map<string, string> {
  const members = new Map<string, string>()
  let at = skipSpace(object, 0) + 1
  for (;;) {
    at = skipSpace(object, at)
    if (object.charCodeAt(at) === CLOSE_BRACE) return members
    const keyEnd = endOfString(object, at)
    const key = JSON.parse(object.slice(at, keyEnd)) as string
    const start = skipSpace(object, skipSpace(object, keyEnd) + 1)
    const end = endOfValue(object, start)
    members.set(key, object.slice(start, end))
    at = skipSpace(object, end)
    if (object.charCodeAt(at) === COMMA) at++
  }
}

/** A range of characters of a JSON text. */
export interface TextRange {
  from: number
  to: number
}

/** A member of an object or a list: its key or index, and the range of its value. */
export interface MemberRange extends TextRange {
  key: string
  /** Start of the key; of the value in a list. */
  start: number
}

/**
 * The members of an object or a list; none of other values.
 *
 * @param at  position of the object or list. @default the whole text
 */
export function* listMembers(text: string, at = skipSpace(text, 0)): Generator<MemberRange> {
  const container = text[at]
  if (container !== '{' && container !== '[') return
  let start = skipSpace(text, at + 1)
  for (let index = 0; start < text.length && text[start] !== '}' && text[start] !== ']'; index++) {
    let key = String(index)
    let from = start
    if (container === '{') {
      const end = endOfString(text, start)
      key = JSON.parse(text.slice(start, end)) as string
      from = skipSpace(text, skipSpace(text, end) + 1)
    }
    const to = endOfValue(text, from)
    yield { key, start, from, to }
    start = skipSpace(text, to)
    if (text[start] === ',') start = skipSpace(text, start + 1)
  }
}

/** Returns the text of a member that a validated object has. @throws Error when it is missing */
export function getMemberText(members: ReadonlyMap<string, string>, key: string): string {
  const text = members.get(key)
  if (text === undefined) throw new Error(`The member ${key} is missing.`)
  return text
}

/** Yields the text of each element of an array. */
export function* eachElement(array: string): Generator<string> {
  let at = skipSpace(array, 0) + 1
  for (;;) {
    at = skipSpace(array, at)
    if (array.charCodeAt(at) === CLOSE_BRACKET) return
    const end = endOfValue(array, at)
    yield array.slice(at, end)
    at = skipSpace(array, end)
    if (array.charCodeAt(at) === COMMA) at++
  }
}

/** Returns the text of each element of an array. */
export const splitElements = (array: string): string[] => [...eachElement(array)]

/** Merges two `extra` objects: the members of `over` win; the members of `metadata` are merged one by one. */
export function mergeExtra(base: string, over: string): string {
  const merged = splitMembers(base)
  for (const [key, value] of splitMembers(over)) {
    const before = merged.get(key)
    const both = key === 'metadata' && before !== undefined && isObjectText(before) && isObjectText(value)
    merged.set(key, both ? printObject(new Map([...splitMembers(before), ...splitMembers(value)])) : value)
  }
  return printObject(merged)
}

/** Whether the text is an object. */
export function isObjectText(text: string): boolean {
  return text.charCodeAt(skipSpace(text, 0)) === OPEN_BRACE
}

/** Whether the text is an array. */
export function isArrayText(text: string): boolean {
  return text.charCodeAt(skipSpace(text, 0)) === OPEN_BRACKET
}

const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
