import { countPrinted, Digits, MARK } from './digits.ts'
import { isRecord } from './guards.ts'
import { endOfString, replaceNumbers } from './lex-json.ts'

export { Digits } from './digits.ts'

const MARKED = /* @__PURE__ */ new RegExp(`"${MARK}([^"]*)"`, 'g')

/**
 * Parses JSON so that `printJson` prints every number with the same digits: big integers, `1.0`, `1e400`.
 *
 * @throws RangeError when it is nested too deeply for the stack
 */
export function parseKeepingDigits(text: string): unknown {
  return parseMarked(text, (token) => String(Number(token)) === token)
}

/** Digits that every decimal number has which a double cannot hold, unless it has an exponent. */
const LONG = 16

/** Whether a number may be one that a double cannot hold: a faster test than a look at each, which most texts fail. */
function hasLongNumber(text: string): boolean {
  let digits = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(text, at) - 1
      digits = 0
    } else if ((code >= ZERO && code <= NINE) || code === POINT) {
      if (++digits === LONG) return true
    } else {
      // The `e` of `true` follows no digit.
      if ((code === SMALL_E || code === LARGE_E) && digits > 0) return true
      digits = 0
    }
  }
  return false
}

const QUOTE = 0x22
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const LARGE_E = 0x45
const SMALL_E = 0x65

/**
 * Parses JSON into numbers, and into `Digits` where a number of JavaScript would have another value. As fast as `JSON.parse`
 * for texts without long numbers.
 *
 * @throws RangeError when it is nested too deeply for the stack
 */
export function parseExactJson(text: string): unknown {
  return hasLongNumber(text) ? parseMarked(text, isHeld) : JSON.parse(text)
}

function parseMarked(text: string, mayBeNumber: (token: string) => boolean): unknown {
  const marked = markNumbers(text, mayBeNumber)
  const parsed: unknown = JSON.parse(text) // Throws for numbers that are no JSON, which their marks would hide.
  if (marked === text) return parsed
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? new Digits(value.slice(MARK.length)) : value,
  )
}

/**
 * Parses JSON that a model wrote. An integer that JavaScript would round, and a number that it cannot hold, becomes a text with
 * its digits: 107505301260286111 is an id, and ...110 another one.
 *
 * @throws SyntaxError for a text that is not JSON
 */
export function parseModelJson(text: string): unknown {
  const parsed: unknown = JSON.parse(text)
  if (!hasLongNumber(text)) return parsed
  const quoted = replaceNumbers(text, (token) => (isRounded(token) ? `"${token}"` : token))
  return quoted === text ? parsed : JSON.parse(quoted)
}

function isRounded(token: string): boolean {
  const number = Number(token)
  return !Number.isFinite(number) || (INTEGER.test(token) && !isHeld(token))
}

const INTEGER = /^-?\d+$/
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** The number that a text denotes in JSON; `Digits` where JavaScript cannot hold it. Undefined for another text. */
export function readNumber(text: string): number | Digits | undefined {
  return NUMBER.test(text) ? (parseExactJson(text) as number | Digits) : undefined
}

/** A value of `parseExactJson` with every number as JavaScript has it, for code that knows no `Digits`. */
export function roundDigits(value: unknown): unknown {
  return JSON.parse(printJson(value))
}

/**
 * Parses a JSON text whose numbers JavaScript can hold. Any other text is returned as it is: JSON with `107505301260286111`, so
 * that no digit is lost where a value is shown, JSON that is nested too deeply to be printed, and text that is no JSON.
 */
export function parseHeldJson(text: string): unknown {
  if (isDeep(text)) return text
  try {
    const value: unknown = JSON.parse(text)
    return hasLongNumber(text) && markNumbers(text, isHeld) !== text ? text : value
  } catch {
    return text
  }
}

/** Deeper values exhaust the stack of what prints them. */
const MAX_DEPTH = 500

function isDeep(text: string): boolean {
  // A text without so many brackets is not.
  if (text.length < 2 * MAX_DEPTH) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') at = endOfString(text, at) - 1
    else if (character === '[' || character === '{') {
      if (++depth > MAX_DEPTH) return true
    } else if (character === ']' || character === '}') depth--
  }
  return false
}

function markNumbers(text: string, mayBeNumber: (token: string) => boolean): string {
  return replaceNumbers(text, (token) => (mayBeNumber(token) ? token : `"${MARK}${token}"`))
}

/** No double has more digits. */
const MAX_DIGITS = 800

/** Whether a number of JavaScript has the same value as a decimal number. */
function isHeld(token: string): boolean {
  const printed = String(Number(token))
  if (printed === token) return true
  return token.length <= MAX_DIGITS && toExactValue(printed) === toExactValue(token)
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/**
 * The digits of a decimal number, without zeros at either end, and the power of ten that they are multiplied by: the same text
 * for the same value. Undefined for a text that is no number.
 */
export function toExactValue(text: string): string | undefined {
  const parts = DECIMAL.exec(text)
  if (parts === null) return undefined
  const [, sign = '', whole = '', fraction = '', power = '0'] = parts
  const digits = whole + fraction
  let from = 0
  while (digits[from] === '0') from++
  let to = digits.length
  while (to > from && digits[to - 1] === '0') to--
  if (from === to) return '0'
  return `${sign}${digits.slice(from, to)}e${BigInt(power) + BigInt(digits.length - to - fraction.length)}`
}

export interface PrintOptions {
  /** Returns the object to print instead of each object. */
  readonly arrange?: (object: object) => object
  /** Spaces of each level. @default one line */
  readonly indent?: number
}

/** Prints a value of `parseKeepingDigits` or `parseExactJson`, or one derived from it. */
export function printJson(value: unknown, { arrange, indent }: PrintOptions = {}): string {
  const replace = arrange && ((_: string, inner: unknown) => (isRecord(inner) ? arrange(inner) : inner))
  const before = countPrinted()
  const text = JSON.stringify(value, replace, indent)
  return countPrinted() === before ? text : text.replace(MARKED, '$1')
}
