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

/** A dataset by what a person wrote: an id or a name. */
export function datasetKey(word: string): { datasetId: string } | { datasetName: string } {
  return isUuid(word) ? { datasetId: word } : { datasetName: word }
}

/** A project, so also an experiment, by id or name. */
export function projectKey(word: string): { projectId: string } | { projectName: string } {
  return isUuid(word) ? { projectId: word } : { projectName: word }
}

/** @throws UsageError when it is not the text of a JSON object */
export function jsonObject(name: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {
    // said below
  }
  throw new UsageError(`${name} is not a JSON object.`)
}

/** @throws UsageError unless it is one of the words */
export function oneOf<const Word extends string>(
  name: string,
  words: readonly Word[],
  text: string | undefined,
): Word | undefined {
  if (text === undefined) return undefined
  const found = words.find((word) => word === text)
  if (found !== undefined) return found
  throw new UsageError(`--${name} takes ${words.join(', ')}, not "${text}".`)
}
