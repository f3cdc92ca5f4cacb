/** US dollars as a whole number of 10⁻¹⁸ dollars, so that prices per token add up exactly. */
export type Money = bigint

const DECIMALS = 18

const AMOUNT = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i
const MAX_WHOLE_DIGITS = 18

/**
 * An amount from a number or a decimal string, which can have an exponent: Python prints `1e-07`.
 *
 * @returns `undefined` for anything else, including negative amounts; decimals beyond the eighteenth are cut
 */
export function toMoney(value: unknown): Money | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  const [, whole, fraction = '', exponent = '0'] = AMOUNT.exec(text) ?? []
  if (whole === undefined) return undefined
  const digits = whole + fraction
  const length = whole.length + Number(exponent)
  if (digits.replace(/^0+/, '').length - (digits.length - length) > MAX_WHOLE_DIGITS) return undefined
  return BigInt(digits.slice(0, Math.max(length + DECIMALS, 0)).padEnd(length + DECIMALS, '0') || '0')
}

/** Decimal text without trailing zeros, e.g. `0.000035`. */
export function printMoney(amount: Money): string {
  const digits = amount.toString().padStart(DECIMALS + 1, '0')
  const fraction = digits.slice(-DECIMALS).replace(/(?<!0)0+$/, '')
  const whole = digits.slice(0, -DECIMALS)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

export function addMoney(one: Money, other: Money): Money {
  return one + other
}
