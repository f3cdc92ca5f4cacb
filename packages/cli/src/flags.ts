import { parseUuid } from '@touchstone/contract'
import { UsageError } from './exit-codes.ts'

export { UsageError }

/** @throws UsageError when it is no whole number above zero */
export function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  if (Number.isInteger(number) && number > 0) return number
  throw new UsageError(`--${name} takes a whole number above zero, not "${text}".`)
}

export function isUuid(text: string): boolean {
  return parseUuid(text) !== undefined
}
