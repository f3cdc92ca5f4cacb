/** Digits behind the point of a cost. */
const SCALE = 18

/** Adds decimal texts as the engine prints them. Exact: costs have more digits than a number holds. Null of nothing. */
export function addDecimals(values: readonly (string | null)[]): string | null {
  const given = values.filter((value) => value !== null)
  if (given.length === 0) return null
  return printDecimal(given.reduce((sum, value) => sum + readDecimal(value), 0n))
}

function readDecimal(text: string): bigint {
  const [whole, fraction = ''] = text.split('.') as [string, string?]
  return BigInt(whole + fraction.padEnd(SCALE, '0'))
}

function printDecimal(value: bigint): string {
  const digits = String(value < 0n ? -value : value).padStart(SCALE + 1, '0')
  const fraction = digits.slice(-SCALE).replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -SCALE)}${fraction && `.${fraction}`}`
}
