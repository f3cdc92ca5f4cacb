import { randomUUID } from 'node:crypto'
import { isRecord } from '@touchstone/formats/guards'
import { endOfString } from './cut-json.ts'

/** A number whose digits JavaScript cannot hold, printed as received. */
class Digits {
  constructor(readonly text: string) {}
}

/** A prefix of digits while the text is parsed or printed; unpredictable outside the process. */
const MARK = `digits-${randomUUID()}:`
const MARKED = new RegExp(`"${MARK}([^"]*)"`, 'g')
const NUMBER = /-?\d[\d.eE+-]*/g

/**
 * Parses JSON so that `printJson` prints every number with the same digits: big integers, `1.0`, `1e400`.
 *
 * @throws RangeError when it is nested too deeply for the stack
 */
export function parseKeepingDigits(text: string): unknown {
  const marked = markNumbers(text)
  if (marked === text) return JSON.parse(text)
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? new Digits(value.slice(MARK.length)) : value,
  )
}

/** Processes string by string: one pattern for strings and numbers would exhaust the stack on a long string. */
function markNumbers(text: string): string {
  const pieces: string[] = []
  let at = 0
  for (;;) {
    const quote = text.indexOf('"', at)
    const between = text.slice(at, quote === -1 ? undefined : quote)
    pieces.push(between.replace(NUMBER, (token) => (String(Number(token)) === token ? token : `"${MARK}${token}"`)))
    if (quote === -1) return pieces.join('')
    at = endOfString(text, quote)
    pieces.push(text.slice(quote, at))
  }
}

/**
 * Prints a value of `parseKeepingDigits`, or one derived from it.
 *
 * @param arrange  returns the object to print instead of each object
 */
export function printJson(value: unknown, arrange?: (object: object) => object): string {
  const text = JSON.stringify(value, (_, inner: unknown) => {
    if (inner instanceof Digits) return MARK + inner.text
    return arrange !== undefined && isRecord(inner) ? arrange(inner) : inner
  })
  return text.replace(MARKED, '$1')
}
