import { endOfString } from './lex-json.ts'

const NUMBER = /-?\d[\d.eE+-]*/g

/**
 * Parses JSON that a model wrote. An integer that JavaScript would round, and a number that it cannot hold, becomes a text with
 * its digits: 107505301260286111 is an id, and ...110 another one.
 *
 * @throws SyntaxError for a text that is not JSON
 */
export function parseExactly(text: string): unknown {
  // Fewer digits are never rounded, and most texts have no more.
  if (!/\d{16}|\de/i.test(text)) return JSON.parse(text)
  const parsed: unknown = JSON.parse(text)
  const quoted = quoteNumbers(text)
  return quoted === text ? parsed : JSON.parse(quoted)
}

/** String by string: one pattern for strings and numbers would exhaust the stack on a long string. */
function quoteNumbers(json: string): string {
  const pieces: string[] = []
  for (let at = 0; ; ) {
    const quote = json.indexOf('"', at)
    pieces.push(json.slice(at, quote === -1 ? undefined : quote).replace(NUMBER, quoteIfRounded))
    if (quote === -1) return pieces.join('')
    at = endOfString(json, quote)
    pieces.push(json.slice(quote, at))
  }
}

function quoteIfRounded(token: string): string {
  const number = Number(token)
  const isRounded = /^-?\d+$/.test(token) && !Number.isSafeInteger(number) && String(number) !== token
  return isRounded || !Number.isFinite(number) ? `"${token}"` : token
}
