/** US dollars as a whole number of 10⁻¹⁸ dollars, so that prices per token add up exactly. */
export type Money = bigint

const DECIMALS = 18

/** An amount from a number or a decimal string; `undefined` for anything else, including negative amounts. */
export function toMoney(value: unknown): Money | undefined {
  const text = typeof value === 'number' ? toDecimal(value) : typeof value === 'string' ? value.trim() : ''
  const match = /^(\d{1,18})(?:\.(\d+))?$/.exec(text)
  if (match === null) return undefined
  return BigInt(match[1]! + (match[2] ?? '').slice(0, DECIMALS).padEnd(DECIMALS, '0'))
}

/** Decimal text without trailing zeros, e.g. `0.000035`. */
export function printMoney(amount: Money): string {
  const digits = amount.toString().padStart(DECIMALS + 1, '0')
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '')
  const whole = digits.slice(0, -DECIMALS)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

export function addMoney(one: Money, other: Money): Money {
  return one + other
}

/** The shortest decimal that reads back as this number: 0.1 is 0.1, not 0.1000000000000000055. */
function toDecimal(value: number): string {
  if (!Number.isFinite(value) || value < 0) return ''
  const shortest = String(value)
  return shortest.includes('e') ? value.toFixed(DECIMALS) : shortest
}
