const NUMBER = /-?\d[\d.eE+-]*/g

/**
 * Parses a JSON text whose numbers JavaScript can hold. Any other text is returned as it is, so that no digit is lost: JSON
 * with `107505301260286111`, text that is no JSON.
 */
export function parseExactly(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text
  }
  return /\d{16}|\d[eE.]/.test(text) && !listNumbers(text).every(isExact) ? text : value
}

/** The numbers of a JSON text, as they are written. Goes from string to string: a pattern for both would exhaust the stack. */
function listNumbers(json: string): string[] {
  const numbers: string[] = []
  let at = 0
  for (;;) {
    const quote = json.indexOf('"', at)
    numbers.push(...(json.slice(at, quote === -1 ? undefined : quote).match(NUMBER) ?? []))
    if (quote === -1) return numbers
    at = findEnd(json, quote + 1)
  }
}

/** Behind the string that begins before this position. */
function findEnd(json: string, from: number): number {
  let at = from
  for (;;) {
    const quote = json.indexOf('"', at)
    if (quote === -1) return json.length
    let slashes = 0
    while (json[quote - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return quote + 1
    at = quote + 1
  }
}

/** Whether JavaScript holds all digits of a number, however it is written: `1.0`, `2e3`. */
function isExact(token: string): boolean {
  const number = Number(token)
  if (String(number) === token) return true
  const digits = token
    .replace(/[eE].*/, '')
    .replace(/^-|\./g, '')
    .replace(/^0+|0+$/g, '')
  return Number.isFinite(number) && digits.length <= 15
}
