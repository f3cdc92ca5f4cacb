import { randomUUID } from 'node:crypto'

/** A number whose digits JavaScript cannot hold: it prints as it came. */
class Digits {
  constructor(readonly text: string) {}
}

/** Stands before the digits while the text is parsed or printed; nobody outside the process can guess it. */
const MARK = `digits-${randomUUID()}:`
const MARKED = new RegExp(`"${MARK}([^"]*)"`, 'g')
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g

/** Parses JSON so that `printJson` gives back every number digit by digit: big integers, `1.0`, `1e400`. */
export function parseKeepingDigits(text: string): unknown {
  const marked = text.replace(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : `"${MARK}${token}"`,
  )
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? new Digits(value.slice(MARK.length)) : value,
  )
}

/** Prints what `parseKeepingDigits` gave, or what was made of it. */
export function printJson(value: unknown): string {
  const text = JSON.stringify(value, (_, inner: unknown) => (inner instanceof Digits ? MARK + inner.text : inner))
  return text.replace(MARKED, '$1')
}
