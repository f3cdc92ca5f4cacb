import { endOfScalar, endOfString, skipSpace } from './lex-json.ts'
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

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start)
  if (first === QUOTE) return endOfString(text, start)
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfNested(text, start)
  return endOfScalar(text, start)
}

function endOfNested(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at) - 1
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++
    else if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && --depth === 0) return at + 1
  }
  return text.length
}
