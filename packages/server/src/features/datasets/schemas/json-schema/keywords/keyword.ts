import { isRecord, type JsonRecord } from '@touchstone/formats/guards'
import { appendPointer, type Check, schemaError } from '../check.ts'
import type { Patterns } from '../pattern.ts'
import type { Resource } from '../resources.ts'

/** Position of a keyword, and functions for its enclosing schema. */
export interface KeywordContext {
  readonly schema: JsonRecord
  readonly pointer: string
  readonly resource: Resource
  readonly patterns: Patterns
  /** Compiles a nested schema, by the keys of its position. */
  compile(schema: unknown, ...keys: (string | number)[]): Check
  /** Compiles the target of a reference. */
  refer(reference: string, key: string): ReferencedSchema
  /** Compiles a schema of another resource. */
  compileNamed(schema: unknown, of: Resource): Check
}

export interface ReferencedSchema {
  readonly node: unknown
  readonly resource: Resource
  readonly anchor?: string
  readonly check: Check
}

export interface Keyword {
  /** @returns undefined when it accepts everything */
  readonly compile: (value: unknown, context: KeywordContext) => Check | undefined
  /** Not part of draft 7. */
  readonly isNew?: true
}

/** Values of keywords, checked as they are read. */
export function toNumber(value: unknown, name: string, context: KeywordContext): number {
  if (typeof value === 'number') return value
  throw schemaError(appendPointer(context.pointer, name), 'it must be a number')
}

export function toCount(value: unknown, name: string, context: KeywordContext): number {
  if (Number.isInteger(value) && (value as number) >= 0) return value as number
  throw schemaError(appendPointer(context.pointer, name), 'it must be a whole number from 0')
}

export function toText(value: unknown, name: string, context: KeywordContext): string {
  if (typeof value === 'string') return value
  throw schemaError(appendPointer(context.pointer, name), 'it must be a string')
}

export function toStrings(value: unknown, name: string, context: KeywordContext): string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  throw schemaError(appendPointer(context.pointer, name), 'it must be a list of strings')
}

export function toList(value: unknown, name: string, context: KeywordContext): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw schemaError(appendPointer(context.pointer, name), 'it must be a list')
}

export function toSchemas(value: unknown, name: string, context: KeywordContext): readonly unknown[] {
  const list = toList(value, name, context)
  if (list.length > 0) return list
  throw schemaError(appendPointer(context.pointer, name), 'it must name at least one schema')
}

export function toObject(value: unknown, name: string, context: KeywordContext): JsonRecord {
  if (isRecord(value)) return value
  throw schemaError(appendPointer(context.pointer, name), 'it must be an object')
}

/** A short form of a value for messages. */
export function printShort(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`
}
