import { type Column, ilike, type SQL, sql } from 'drizzle-orm'
import { isStorable } from './columns.ts'

/** Whether a column contains the text, ignoring case. Text that PostgreSQL cannot hold is in no column. */
export function containsText(column: Column, text: string): SQL {
  return isStorable(text) ? ilike(column, containsPattern(text)) : sql`false`
}

/** Pattern of `like` for texts that contain this one; `%` and `_` stand for themselves. */
export function containsPattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
}

/** Pattern of `like` in which `%` is a wildcard and `_` stands for itself. */
export function wildcardPattern(text: string): string {
  return text.replaceAll(/[\\_]/g, '\\$&')
}
