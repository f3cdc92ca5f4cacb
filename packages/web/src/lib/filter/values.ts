import type { FilterScalar, FilterValue } from '@touchstone/contract/filter'
import { typeOfSubject } from './fields.ts'

/** A value as it stands in a text field; reading it gives the same value back. */
export function printValue(subject: string, value: FilterValue): string {
  return Array.isArray(value)
    ? value.map((item) => printItem(subject, item)).join(', ')
    : printScalar(subject, value as FilterScalar)
}

/** What a text field says about a subject. The language checks afterwards whether it makes sense. */
export function readValue(subject: string, text: string): FilterScalar {
  const type = typeOfSubject(subject)
  if (type === 'number') return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
  return isOpen(subject) ? readOpen(text) : text
}

/** Values between commas; a comma inside of quotes is part of a value. */
export function readValues(subject: string, text: string): FilterScalar[] {
  const items = text.match(/\s*"(?:[^"\\]|\\.)*"\s*|[^,]+/g) ?? []
  return items
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => (isOpen(subject) ? readOpen(item) : readValue(subject, unquote(item))))
}

/** Whether the JSON type of the value is the writer's choice: `7` is a number there, `"7"` is text. */
function isOpen(subject: string): boolean {
  const type = typeOfSubject(subject)
  return type === 'entry-value' || type === 'path'
}

function readOpen(text: string): FilterScalar {
  const trimmed = text.trim()
  if (/^(true|false|null|-?\d+(\.\d+)?(e[+-]?\d+)?)$/i.test(trimmed)) {
    return JSON.parse(trimmed.toLowerCase()) as FilterScalar
  }
  return unquote(text)
}

function printScalar(subject: string, value: FilterScalar): string {
  if (typeof value === 'number' && typeOfSubject(subject) === 'duration') return printDuration(value)
  if (typeof value !== 'string') return String(value)
  return isOpen(subject) && readOpen(value) !== value ? JSON.stringify(value) : value
}

function printItem(subject: string, value: FilterScalar): string {
  const text = printScalar(subject, value)
  return /[,"]|^\s|\s$|^$/.test(text) && !text.startsWith('"') ? JSON.stringify(text) : text
}

function printDuration(seconds: number): string {
  return Math.abs(seconds) < 1 && seconds !== 0 ? `${Math.round(seconds * 1e6) / 1e3}ms` : `${seconds}s`
}

function unquote(text: string): string {
  const trimmed = text.trim()
  if (!/^".*"$/s.test(trimmed)) return text
  try {
    return JSON.parse(trimmed) as string
  } catch {
    return text
  }
}
