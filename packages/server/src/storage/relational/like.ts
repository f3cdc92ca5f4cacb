import { toStorable } from '@touchstone/contract'
import { type Column, ilike, type SQL } from 'drizzle-orm'

/** Whether a column contains the text, ignoring case. Stored text is repaired, so the text is too. */
export function containsText(column: Column, text: string): SQL {
  return ilike(column, containsPattern(toStorable(text)))
}

/** Pattern of `like` for texts that contain this text; `%` and `_` are matched literally. */
export function containsPattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
}

/** Pattern of `like` in which `%` is a wildcard and `_` is matched literally. */
export function wildcardPattern(text: string): string {
  return text.replaceAll(/[\\_]/g, '\\$&')
}

const MAX_DEPTH = 64

/**
 * Returns a copy that jsonb can store: NUL and half surrogate pairs become U+FFFD, values below 64 levels become null.
 */
export function searchable(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return toStorable(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return null
  if (Array.isArray(value)) return value.map((item) => searchable(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [searchable(key) as string, searchable(item, depth + 1)]),
  )
}
