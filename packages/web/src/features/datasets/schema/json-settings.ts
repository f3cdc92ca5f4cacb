import type { JsonProblem } from '@touchstone/formats/locate-json'
import { parseJson } from '@touchstone/formats/locate-json'

/** A JSON object of a dataset as text for an editor; empty when there is none. */
export function printSetting(value: Readonly<Record<string, unknown>> | null | undefined): string {
  return value === null || value === undefined ? '' : JSON.stringify(value, null, 2)
}

export type ReadSetting = { value: Record<string, unknown> | null } | { problem: JsonProblem }

/** Reads an edited setting: an object, or null for an empty text. */
export function readSetting(text: string): ReadSetting {
  if (text.trim() === '') return { value: null }
  const parsed = parseJson(text)
  if ('problem' in parsed) return parsed
  const { value } = parsed
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return { value: value as Record<string, unknown> }
  }
  return { problem: { from: 0, to: text.length, message: 'Must be a JSON object, {…}.' } }
}

/** Problems that an editor marks, besides mistakes of syntax. */
export function checkSetting(text: string): readonly JsonProblem[] {
  const read = readSetting(text)
  return 'problem' in read ? [read.problem] : []
}
