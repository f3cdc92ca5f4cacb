import { type Column, ilike, type SQL, sql } from 'drizzle-orm'
import { isStorable } from './columns.ts'

/** Whether a column holds the text anywhere, without regard to case. Text that PostgreSQL cannot hold is in no column. */
export function containsText(column: Column, text: string): SQL {
  return isStorable(text) ? ilike(column, `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`) : sql`false`
}
