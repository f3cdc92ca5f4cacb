import { parseTime } from '@touchstone/contract'
import { type SQL, sql } from 'drizzle-orm'
import { customType } from 'drizzle-orm/pg-core'
import type { Relational } from './port.ts'

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

/** A `timestamptz` in the contract's printed form on our side: six digits, never through a float. */
export const time = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamptz',
  // The drivers print `2025-07-10 04:42:19.024+00`; sessions run in UTC.
  fromDriver: (text) => parseTime(text.replace(/\+00$/, 'Z'))!,
})

/** A `timestamptz(3)` that names a version of a dataset: exact to the millisecond, as a `Date` is. */
export const version = customType<{ data: Date; driverData: string }>({
  dataType: () => 'timestamptz(3)',
  toDriver: (date) => date.toISOString(),
  fromDriver: (text) => new Date(text.replace(/\+00$/, 'Z')),
})

/** Whether PostgreSQL can hold the text as it is: neither NUL nor half a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !LONE_SURROGATE.test(text)
}

const LONE_SURROGATE = /\p{Surrogate}/u

/** Characters that the embedded engine takes in about 20 ms; the event loop waits meanwhile. */
const PIECE_CHARACTERS = 1_000_000

/**
 * A column like `textColumn` makes it, for values of any length: the embedded engine would keep the event loop busy for
 * 15 ms for each megabyte of a parameter, so a long one is handed over in pieces, and other requests run in between.
 *
 * @param relational  joined to a transaction: the pieces are gone when it ends
 */
export async function longTextColumn(relational: Relational, values: readonly (string | null)[]): Promise<SQL> {
  const text = textOfColumn(values)
  if (relational.engine === 'postgres' || text.length <= 2 * PIECE_CHARACTERS) return textsIn(sql`${text}::text`)
  const id = crypto.randomUUID()
  await relational.db.execute(sql`
    create temporary table if not exists long_text_pieces (id uuid, number int, piece text storage external) on commit delete rows`)
  let number = 0
  for (const piece of splitText(text)) {
    await relational.db.execute(sql`insert into long_text_pieces values (${id}, ${number}, ${piece})`)
    number += 1
  }
  // In a statement of its own: joining takes as long as storing.
  await relational.db.execute(sql`
    insert into long_text_pieces
    select ${id}, -1, string_agg(piece, '' order by number) from long_text_pieces where id = ${id}`)
  const whole = sql`(select piece from long_text_pieces where id = ${id} and number = -1)`
  return values.length === 1 ? sql`array[${whole}]` : textsIn(whole)
}

/** Never cut between the two halves of a character: each alone is no character at all. */
function* splitText(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + PIECE_CHARACTERS)
    if (isFirstHalf(text.charCodeAt(end - 1))) end -= 1
    yield text.slice(start, end)
    start = end
  }
}

const isFirstHalf = (code: number) => code >= 0xd800 && code <= 0xdbff
