import type { JsonRecord } from '../../../../../json/guards.ts'
import { isRecord } from '../../../../../json/guards.ts'
import { badSchema, below } from '../problem.ts'
import type { Place } from './index.ts'

/** Values of keywords, checked as they are read. */
export function aNumber(value: unknown, name: string, place: Place): number {
  if (typeof value === 'number') return value
  throw badSchema(below(place.pointer, name), 'it must be a number')
}

export function aCount(value: unknown, name: string, place: Place): number {
  if (Number.isInteger(value) && (value as number) >= 0) return value as number
  throw badSchema(below(place.pointer, name), 'it must be a whole number from 0')
}

export function aString(value: unknown, name: string, place: Place): string {
  if (typeof value === 'string') return value
  throw badSchema(below(place.pointer, name), 'it must be a string')
}

export function strings(value: unknown, name: string, place: Place): string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  throw badSchema(below(place.pointer, name), 'it must be a list of strings')
}

export function aList(value: unknown, name: string, place: Place): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw badSchema(below(place.pointer, name), 'it must be a list')
}

export function someSchemas(value: unknown, name: string, place: Place): readonly unknown[] {
  const list = aList(value, name, place)
  if (list.length > 0) return list
  throw badSchema(below(place.pointer, name), 'it must name at least one schema')
}

export function anObject(value: unknown, name: string, place: Place): JsonRecord {
  if (isRecord(value)) return value
  throw badSchema(below(place.pointer, name), 'it must be an object')
}

/** A value as a message shows it. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`
}
