import { parseTime } from '@touchstone/contract'
import { type SQL, sql } from 'drizzle-orm'
import { customType } from 'drizzle-orm/pg-core'
import type { Relational } from './port.ts'

/** Control characters that never occur in JSON text, ids and times: they separate values and represent null. */
const PARTS = '\u001f'
const NULL = '\u001e'

/**
 * Many values as one parameter of type `text[]`: an insert of thousands of rows has a few parameters, each split by the
 * database.
 *
 * @param values  non-empty texts without the control characters U+001E and U+001F
 */
export function textColumn(values: readonly (string | null)[]): SQL {
  return splitTexts(sql`${joinTexts(values)}::text`)
}

/** Joins the values into the text that `splitTexts` splits again. */
export const joinTexts = (values: readonly (string | null)[]) => values.map((value) => value ?? NULL).join(PARTS)

/** The `text[]` of an expression made by `joinTexts`. Splitting takes 8 ms for each megabyte. */
export const splitTexts = (text: SQL) => sql`string_to_array(${text}, ${PARTS}, ${NULL})`

/** The literal of a `text[]`, for a cast in the database. */
export function arrayLiteral(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replaceAll(/[\\"]/g, '\\$&')}"`).join(',')}}`
}

/** `= any(…)` over many ids as one parameter. */
export function isAnyOf(column: unknown, ids: readonly string[]): SQL {
  return sql`${column} = any(${ids.join(',') === '' ? sql`'{}'` : sql`string_to_array(${ids.join(',')}::text, ',')`}::uuid[])`
}

/** A `timestamptz` in the contract's printed form: six digits, never converted to a float. */
export const time = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamptz',
  // The drivers print `2025-07-10 04:42:19.024+00`; sessions run in UTC.
  fromDriver: (text) => parseTime(text.replace(/\+00$/, 'Z'))!,
})

/** A `timestamptz(3)` that names a version of a dataset: exact to the millisecond, like a `Date`. */
export const version = customType<{ data: Date; driverData: string }>({
  dataType: () => 'timestamptz(3)',
  toDriver: (date) => date.toISOString(),
  fromDriver: (text) => new Date(text.replace(/\+00$/, 'Z')),
})

/** Characters that the embedded engine processes in about 20 ms, during which the event loop is blocked. */
const PIECE_CHARACTERS = 1_000_000

/**
 * Like `textColumn`, for values of any length. The embedded engine blocks the event loop for 15 ms for each megabyte of
 * a parameter, so a long parameter is sent in pieces, and other requests run in between.
 *
 * @param relational  inside a transaction: the pieces are deleted when it ends
 */
export async function longTextColumn(relational: Relational, values: readonly (string | null)[]): Promise<SQL> {
  const text = joinTexts(values)
  if (relational.engine === 'postgres' || text.length <= 2 * PIECE_CHARACTERS) return splitTexts(sql`${text}::text`)
  const id = crypto.randomUUID()
  await relational.db.execute(sql`
    create temporary table if not exists long_text_pieces (id uuid, number int, piece text storage external) on commit delete rows`)
  let number = 0
  for (const piece of splitText(text)) {
    await relational.db.execute(sql`insert into long_text_pieces values (${id}, ${number}, ${piece})`)
    number += 1
  }
  // In a separate statement: joining takes as long as storing.
  await relational.db.execute(sql`
    insert into long_text_pieces
    select ${id}, -1, string_agg(piece, '' order by number) from long_text_pieces where id = ${id}`)
  const whole = sql`(select piece from long_text_pieces where id = ${id} and number = -1)`
  return values.length === 1 ? sql`array[${whole}]` : splitTexts(whole)
}

/** Never cuts between the halves of a surrogate pair. */
function* splitText(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + PIECE_CHARACTERS)
    if (isFirstHalf(text.charCodeAt(end - 1))) end -= 1
    yield text.slice(start, end)
    start = end
  }
}

const isFirstHalf = (code: number) => code >= 0xd800 && code <= 0xdbff
