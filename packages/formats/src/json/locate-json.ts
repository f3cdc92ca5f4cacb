import { listMembers, type TextRange } from './cut-json.ts'
import { endOfValue } from './lex-json.ts'

/** Something wrong with a part of a JSON text. */
export interface JsonProblem extends TextRange {
  message: string
}

/** The value of a JSON text, or where and why it is not JSON. */
export type ParsedJson = { value: unknown } | { problem: JsonProblem }

export function parseJson(text: string): ParsedJson {
  const problem = findSyntaxProblem(text)
  return problem === undefined ? { value: JSON.parse(text) as unknown } : { problem }
}

type Expected =
  | 'a value'
  | 'a value or ]'
  | 'a key in quotes'
  | 'a key in quotes or }'
  | ':'
  | ', or }'
  | ', or ]'
  | 'end'

/**
 * Where and why a text is not JSON; undefined for JSON. The messages of `JSON.parse` differ between browsers, and some
 * contain no position.
 */
export function findSyntaxProblem(text: string): JsonProblem | undefined {
  if (isJson(text)) return undefined
  const open: ('{' | '[')[] = []
  let expected: Expected = 'a value'
  const afterValue = (): Expected => (open.length === 0 ? 'end' : open.at(-1) === '{' ? ', or }' : ', or ]')
  for (let at = skipSpace(text, 0); ; at = skipSpace(text, at)) {
    const token = readToken(text, at)
    if (token === undefined) return { from: Math.max(at - 1, 0), to: at, message: describeMissing(expected) }
    const problem = (message: string) => ({ from: at, to: token.end, message })
    if (token.problem !== undefined) return problem(token.problem)
    const { kind } = token
    if (expected === 'end') return problem('Nothing may follow the value')
    if (expected === ':') {
      if (kind !== ':') return problem('Expected : after the key')
      expected = 'a value'
    } else if (expected.startsWith('a key')) {
      if (kind === 'string') expected = ':'
      else if (kind === '}' && expected === 'a key in quotes or }') {
        open.pop()
        expected = afterValue()
      } else return problem(kind === '}' ? 'A comma is not allowed before }' : `Expected ${expected}`)
    } else if (expected.startsWith(',')) {
      if (kind === ',') expected = open.at(-1) === '{' ? 'a key in quotes' : 'a value'
      else if (kind === expected.at(-1)) {
        open.pop()
        expected = afterValue()
      } else return problem(`Expected ${expected}`)
    } else if (kind === '{' || kind === '[') {
      open.push(kind)
      expected = kind === '{' ? 'a key in quotes or }' : 'a value or ]'
    } else if (kind === ']' && expected === 'a value or ]') {
      open.pop()
      expected = afterValue()
    } else if (kind === 'string' || kind === 'scalar') expected = afterValue()
    else return problem(kind === ']' ? 'A comma is not allowed before ]' : `Expected ${expected}`)
    at = token.end
  }
}

/**
 * The range of the value at a path in a text that is JSON. With a step that does not exist, the range of the last value
 * that does.
 */
export function locateValue(text: string, path: readonly (string | number)[]): TextRange {
  let from = skipSpace(text, 0)
  for (const step of path) {
    const next = findMember(text, from, step)
    if (next === undefined) break
    from = next
  }
  return { from, to: endOfValue(text, from) }
}

/** The line of a position, counted from 1. */
export function lineAt(text: string, at: number): number {
  let line = 1
  for (let next = text.indexOf('\n'); next !== -1 && next < at; next = text.indexOf('\n', next + 1)) line++
  return line
}

/** JSON with two spaces of indent. Numbers, strings and the order and number of keys stay as they are written. */
export function indentJson(text: string): string {
  const out: string[] = []
  let depth = 0
  const newLine = () => `\n${'  '.repeat(depth)}`
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    const token = readToken(text, at)
    if (token === undefined || token.problem !== undefined) return text
    const { kind, end } = token
    if (kind === '{' || kind === '[') {
      const close = skipSpace(text, end)
      if (text[close] === '}' || text[close] === ']') {
        out.push(kind, text[close])
        at = close + 1
        continue
      }
      depth++
      out.push(kind, newLine())
    } else if (kind === '}' || kind === ']') {
      depth--
      out.push(newLine(), kind)
    } else if (kind === ',') out.push(',', newLine())
    else if (kind === ':') out.push(': ')
    else out.push(text.slice(at, end))
    at = end
  }
  return out.join('')
}

interface Token {
  kind: '{' | '}' | '[' | ']' | ',' | ':' | 'string' | 'scalar'
  /** Position after the token. */
  end: number
  /** Present when the token itself is wrong. */
  problem?: string
}

const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const WORD = /[^\s{}[\],:"]+/y

/** @returns undefined at the end of the text */
function readToken(text: string, at: number): Token | undefined {
  const first = text[at]
  if (first === undefined) return undefined
  if (first === '{' || first === '}' || first === '[' || first === ']' || first === ',' || first === ':') {
    return { kind: first, end: at + 1 }
  }
  if (first === '"') return readString(text, at)
  WORD.lastIndex = at
  const word = WORD.exec(text)?.[0] ?? first
  SCALAR.lastIndex = at
  const isScalar = SCALAR.exec(text)?.[0] === word
  return { kind: 'scalar', end: at + word.length, ...(!isScalar && { problem: describeWord(word) }) }
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

function readString(text: string, start: number): Token {
  const wrong = (problem: string, end: number): Token => ({ kind: 'string', end, problem })
  let at = start + 1
  while (at < text.length) {
    const char = text.charCodeAt(at)
    if (char === 0x22) return { kind: 'string', end: at + 1 }
    if (char === 0x0a) return wrong('The string has no closing quote on its line', at)
    if (char < 0x20) return wrong('Control characters in a string must be escaped', at + 1)
    if (char !== 0x5c) at++
    else {
      ESCAPE.lastIndex = at
      const escaped = ESCAPE.exec(text)?.[0]
      if (escaped === undefined)
        return wrong(`\\${text[at + 1] ?? ''} is not an escape of JSON; write \\\\ for \\`, at + 2)
      at += escaped.length
    }
  }
  return wrong('The string has no closing quote', text.length)
}

function describeWord(word: string): string {
  const shown = word.length > 40 ? `${word.slice(0, 40)}…` : word
  if (word.startsWith("'")) return 'Strings need double quotes'
  if (word === 'True' || word === 'False' || word === 'None') {
    return `${word} is Python; JSON has ${{ True: 'true', False: 'false', None: 'null' }[word]}`
  }
  return `${shown} is not a JSON value; a string needs double quotes`
}

function describeMissing(expected: Expected): string {
  return expected === 'end' ? 'The text ends too early' : `The text ends too early: expected ${expected}`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const isSpace = (char: number) => char === 32 || char === 10 || char === 13 || char === 9

function skipSpace(text: string, at: number): number {
  let next = at
  for (let char = text.charCodeAt(next); isSpace(char); char = text.charCodeAt(next)) next++
  return next
}

/** The start of the member's value; of repeated keys, of the last, which is the one that counts. */
function findMember(text: string, from: number, step: string | number): number | undefined {
  let found: number | undefined
  for (const member of listMembers(text, from)) if (member.key === String(step)) found = member.from
  return found
}
