const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/

/**
 * Picodollars of a decimal string, without passing through a float. Digits beyond the twelfth are rounded half up; the
 * finest public prices per token need ten.
 *
 * @returns undefined when the text is no decimal
 */
export function parsePicodollars(cost: string): bigint | undefined {
  const match = DECIMAL.exec(cost.trim())
  if (!match || (!match[2] && !match[3])) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const shift = 12 + Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  const value = shift >= 0 ? digits * 10n ** BigInt(shift) : roundedDivision(digits, 10n ** BigInt(-shift))
  return sign === '-' ? -value : value
}

function roundedDivision(value: bigint, by: bigint): bigint {
  return (value + by / 2n) / by
}
