import type { FilterScalar, FilterValue } from '@touchstone/contract/filter'
import { getSubjectType } from './fields.ts'

/** A value as text for a field. `readValue` reads the same value back. */
export function printValue(subject: string, value: FilterValue): string {
  return Array.isArray(value)
    ? value.map((item) => printItem(subject, item)).join(', ')
    : printScalar(subject, value as FilterScalar)
}

/** The value in a text field. The parser of the filter language validates it later. */
export function readValue(subject: string, text: string): FilterScalar {
  const type = getSubjectType(subject)
  if (type === 'number') return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
  return hasAnyType(subject) ? readAnyType(text) : text
}

/** Values separated by commas. A comma inside quotes is part of a value. */
export function readValues(subject: string, text: string): FilterScalar[] {
  const items = text.match(/\s*"(?:[^"\\]|\\.)*"\s*|[^,]+/g) ?? []
  return items
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => (hasAnyType(subject) ? readAnyType(item) : readValue(subject, unquote(item))))
}

/** Whether the field takes values of any JSON type: `7` is a number, `"7"` is text. */
function hasAnyType(subject: string): boolean {
  const type = getSubjectType(subject)
  return type === 'entry-value' || type === 'path'
}

function readAnyType(text: string): FilterScalar {
  const trimmed = text.trim()
  if (/^(true|false|null|-?\d+(\.\d+)?(e[+-]?\d+)?)$/i.test(trimmed)) {
    return JSON.parse(trimmed.toLowerCase()) as FilterScalar
  }
  return unquote(text)
}

function printScalar(subject: string, value: FilterScalar): string {
  if (typeof value === 'number' && getSubjectType(subject) === 'duration') return printDuration(value)
  if (typeof value !== 'string') return String(value)
  return hasAnyType(subject) && readAnyType(value) !== value ? JSON.stringify(value) : value
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
