import { isRecord, type JsonRecord } from '../../../../../json/guards.ts'
import { appendPointer, schemaError } from '../check.ts'
import type { KeywordContext } from './index.ts'

/** Values of keywords, checked as they are read. */
export function toNumber(value: unknown, name: string, place: KeywordContext): number {
  if (typeof value === 'number') return value
  throw schemaError(appendPointer(place.pointer, name), 'it must be a number')
}

export function toCount(value: unknown, name: string, place: KeywordContext): number {
  if (Number.isInteger(value) && (value as number) >= 0) return value as number
  throw schemaError(appendPointer(place.pointer, name), 'it must be a whole number from 0')
}

export function toText(value: unknown, name: string, place: KeywordContext): string {
  if (typeof value === 'string') return value
  throw schemaError(appendPointer(place.pointer, name), 'it must be a string')
}

export function toStrings(value: unknown, name: string, place: KeywordContext): string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  throw schemaError(appendPointer(place.pointer, name), 'it must be a list of strings')
}

export function toList(value: unknown, name: string, place: KeywordContext): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw schemaError(appendPointer(place.pointer, name), 'it must be a list')
}

export function toSchemas(value: unknown, name: string, place: KeywordContext): readonly unknown[] {
  const list = toList(value, name, place)
  if (list.length > 0) return list
  throw schemaError(appendPointer(place.pointer, name), 'it must name at least one schema')
}

export function toObject(value: unknown, name: string, place: KeywordContext): JsonRecord {
  if (isRecord(value)) return value
  throw schemaError(appendPointer(place.pointer, name), 'it must be an object')
}

/** A value as a message shows it. */
export function printShort(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`
}
