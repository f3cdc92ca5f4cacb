import { replaceNumbers } from './lex-json.ts'

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
  const quoted = replaceNumbers(text, quoteIfRounded)
  return quoted === text ? parsed : JSON.parse(quoted)
}

function quoteIfRounded(token: string): string {
  const number = Number(token)
  const isRounded = /^-?\d+$/.test(token) && !Number.isSafeInteger(number) && String(number) !== token
  return isRounded || !Number.isFinite(number) ? `"${token}"` : token
}
