/** Moves the decimal point six places to the left, exactly: `2.5` per million tokens is `0.0000025` per token. */
export function toPricePerToken(perMillion: string): string {
  return shifted(perMillion, -6)
}

/** Moves the decimal point six places to the right, exactly: `0.0000025` per token is `2.5` per million. */
export function toPricePerMillion(perToken: string): string {
  return shifted(perToken, 6)
}

/** A plain decimal of dollars: no sign, no exponent. */
export function isPrice(text: string): boolean {
  return /^\d{1,9}(\.\d{1,12})?$/.test(text.trim())
}

function shifted(text: string, places: number): string {
  const [whole = '', fraction = ''] = text.trim().split('.')
  const digits = whole + fraction
  const point = whole.length + places
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(point, '0')
  const at = point <= 0 ? 1 : point
  const moved = padded.slice(at) === '' ? padded : `${padded.slice(0, at)}.${padded.slice(at)}`
  return trimmed(moved)
}

function trimmed(text: string): string {
  const short = text.includes('.') ? text.replace(/\.?0+$/, '') : text
  return short.replace(/^0+(?=\d)/, '')
}
