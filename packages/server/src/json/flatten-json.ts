/** A scalar inside a JSON value, with its key, in the form of `flattened`. */
export interface JsonEntry {
  /** Keys of nested objects joined by dots; elements of lists share the key of the list. */
  readonly key: string
  readonly value: JsonScalar
}

/** An object or list only when it is empty, or too deep to be opened. */
export type JsonScalar = string | number | boolean | null | object

/**
 * Every scalar of a JSON value with its key, as the engine flattens it.
 *
 * @param depth  levels of nesting that are opened
 */
export function flattenJson(value: unknown, depth: number, key = ''): JsonEntry[] {
  if (typeof value !== 'object' || value === null) return [{ key, value: value as JsonScalar }]
  const inner = Array.isArray(value)
    ? value.map((item): [string, unknown] => [key, item])
    : Object.entries(value).map(([name, item]): [string, unknown] => [key === '' ? name : `${key}.${name}`, item])
  if (inner.length === 0 || depth === 0) return key === '' ? [] : [{ key, value }]
  return inner.flatMap(([path, item]) => flattenJson(item, depth - 1, path))
}

/** A value as entries hold it: a string is a `"` and its text, any other its JSON text, of what was not opened its brackets. */
export function entryText(value: JsonScalar): string {
  if (typeof value === 'string') return `"${value.toWellFormed()}`
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? '[]' : '{}'
  return String(value)
}
