import type { FilterScalar } from '@touchstone/contract'

export interface JsonEntry {
  /** Keys of nested objects joined by dots; elements of lists share the key of the list. */
  readonly key: string
  /** An object or list only when it is empty. */
  readonly value: FilterScalar | object
}

/** Every scalar of a JSON value with its key, as the store flattens it. */
export function flattenJson(value: unknown, key = ''): JsonEntry[] {
  if (typeof value !== 'object' || value === null) return [{ key, value: value as FilterScalar }]
  const inner = Array.isArray(value)
    ? value.map((item): [string, unknown] => [key, item])
    : Object.entries(value).map(([name, item]): [string, unknown] => [key === '' ? name : `${key}.${name}`, item])
  if (inner.length === 0) return key === '' ? [] : [{ key, value }]
  return inner.flatMap(([path, item]) => flattenJson(item, path))
}
