import { type SQL, sql } from 'drizzle-orm'
import { textOfColumn, textsIn } from './columns.ts'
import type { Relational } from './port.ts'

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
