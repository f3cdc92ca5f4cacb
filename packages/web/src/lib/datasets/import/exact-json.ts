/**
 * JSON values whose numbers keep all their digits: a number that a double would change is kept as a string with a mark,
 * which `printExactly` prints as the number it was.
 */

export type JsonObject = Record<string, unknown>

/** Random, so that no text of a file can pass for a kept number. */
const MARK = `\u0000${crypto.getRandomValues(new Uint32Array(2)).join('-')}:`
const PRINTED_MARK = JSON.stringify(MARK).slice(0, -1)

/** Only numbers with many digits, or with a large exponent, can differ from what a double prints. */
const MANY_DIGITS = /\d[\d.]{15}|[eE][+-]?\d{3}/
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** @throws SyntaxError */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!MANY_DIGITS.test(text)) return value
  const marked = text.replace(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') || isExact(token) ? token : JSON.stringify(MARK + token),
  )
  return marked === text ? value : JSON.parse(marked)
}

export function printExactly(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent)
  if (!text.includes(PRINTED_MARK)) return text
  return text
    .split(PRINTED_MARK)
    .map((piece, index) => (index === 0 ? piece : piece.replace('"', '')))
    .join('')
}

/** The number that a text denotes in JSON, with all its digits; `undefined` for another text. */
export function readNumber(text: string): unknown {
  if (!NUMBER.test(text)) return undefined
  return isExact(text) ? Number(text) : MARK + text
}

/** The value with every number as a double, for code that knows nothing of kept digits. */
export function toPlain(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(MARK) ? Number(value.slice(MARK.length)) : value
  if (Array.isArray(value)) return value.map(toPlain)
  if (!isObject(value)) return value
  const plain: JsonObject = {}
  for (const [key, member] of Object.entries(value)) setOwn(plain, key, toPlain(member))
  return plain
}

function isExact(source: string): boolean {
  return !MANY_DIGITS.test(source) || normalize(source) === normalize(String(Number(source)))
}

/** Digits and exponent of a number: `1.50e3` and `1500` are the same. */
function normalize(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  const kept = digits.replace(/0+$/, '')
  return kept === '' ? '0' : `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`
}

/** Whether a value is an object of JSON, not a list. */
export function isObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/** Sets an own property of any name, also `__proto__`. */
export function setOwn(object: JsonObject, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
}

export function getOwn(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}
