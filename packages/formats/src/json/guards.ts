import { Digits } from './digits.ts'

/** An object with unknown members. */
export type JsonRecord = Readonly<Record<string, unknown>>

/** Whether a value is an object with members: neither an array, null nor a number with its digits. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Digits)
}

/** Returns the value if it is an object with members. */
export function asRecord(value: unknown): JsonRecord | undefined {
  return isRecord(value) ? value : undefined
}

/** Returns the value if it is a list. */
export function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined
}

/** Returns the value if it is a text. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Parses a text that may be a JSON object; undefined for any other text. */
export function parseRecord(text: string): JsonRecord | undefined {
  try {
    return asRecord(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Returns an own member of an object, never one of the prototype: traced keys may be called `constructor`. */
export function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as JsonRecord)[key]
    : undefined
}

/** Returns the own member at the end of a path. */
export function memberAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce(member, value)
}
