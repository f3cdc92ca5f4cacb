/** Ends of the tokens of a JSON text. Every function expects text that `JSON.parse` accepts. */

const QUOTE = '"'
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const SPACE = 0x20
const QUOTE_CODE = 0x22
const SHORT = 16

/** Index after white space. */
export function skipSpace(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) <= SPACE) at++
  return at
}

/** Index after the closing quote. A quote after an odd number of backslashes is escaped. */
export function endOfString(text: string, start: number): number {
  // Most strings are short, and a search takes longer to begin than they are read.
  for (let at = start + 1; at < start + SHORT; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE_CODE) return at + 1
    if (code === BACKSLASH) break
  }
  let quote = start
  for (;;) {
    quote = text.indexOf(QUOTE, quote + 1)
    if (quote === -1) return text.length
    let slashes = 0
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++
    if (slashes % 2 === 0) return quote + 1
  }
}

const NUMBER = /-?\d[\d.eE+-]*/g

/**
 * Replaces the numbers of a JSON text, not those inside of its strings. Goes from string to string: one pattern for strings and
 * numbers would exhaust the stack on a long string.
 */
export function replaceNumbers(text: string, replace: (token: string) => string): string {
  const pieces: string[] = []
  let at = 0
  for (;;) {
    const quote = text.indexOf(QUOTE, at)
    pieces.push(text.slice(at, quote === -1 ? undefined : quote).replace(NUMBER, replace))
    if (quote === -1) return pieces.join('')
    at = endOfString(text, quote)
    pieces.push(text.slice(quote, at))
  }
}

/** Index after a number, `true`, `false` or `null`. */
export function endOfScalar(text: string, start: number): number {
  let at = start
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || code <= SPACE) return at
    at++
  }
  return at
}

/** Index after a value. */
export function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start)
  if (first === QUOTE_CODE) return endOfString(text, start)
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfNested(text, start)
  return endOfScalar(text, start)
}

function endOfNested(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE_CODE) at = endOfString(text, at) - 1
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++
    else if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && --depth === 0) return at + 1
  }
  return text.length
}
