import { type SQL, sql } from 'drizzle-orm'

/** Control characters that JSON text, ids and times never hold: they part values and stand for null. */
const PARTS = '\u001f'
const NULL = '\u001e'

/**
 * Many values as one parameter of type `text[]`: an insert of thousands of rows is a handful of parameters, each read
 * by splitting it.
 *
 * @param values  non-empty texts without the control characters U+001E and U+001F
 */
export function textColumn(values: readonly (string | null)[]): SQL {
  return textsIn(sql`${textOfColumn(values)}::text`)
}

/** The values as the one text that `textsIn` parts again. */
export const textOfColumn = (values: readonly (string | null)[]) => values.map((value) => value ?? NULL).join(PARTS)

/** The `text[]` of an expression whose value `textOfColumn` has made. A long text costs it 8 ms for each megabyte. */
export const textsIn = (text: SQL) => sql`string_to_array(${text}, ${PARTS}, ${NULL})`

/** The literal of a `text[]`, to be cast inside the database. */
export function arrayLiteral(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replaceAll(/[\\"]/g, '\\$&')}"`).join(',')}}`
}

/** `= any(…)` over many ids as one parameter. */
export function isAnyOf(column: unknown, ids: readonly string[]): SQL {
  return sql`${column} = any(${ids.join(',') === '' ? sql`'{}'` : sql`string_to_array(${ids.join(',')}::text, ',')`}::uuid[])`
}
