import { ApiError } from '@touchstone/contract'
import type { Analytics } from '../storage/analytics/port.ts'

/**
 * Appends rows as one block. A row that the engine cannot read is found by halving and reported alone; its neighbours
 * are stored.
 *
 * @returns per row, a sentence when the engine refused it
 * @throws ApiError UNAVAILABLE when the engine itself failed, e.g. on a full disk; then nothing of the block is promised
 */
export async function insertRows(
  analytics: Analytics,
  table: string,
  rows: readonly string[],
): Promise<(string | undefined)[]> {
  try {
    await analytics.insert(table, rows)
    return rows.map(() => undefined)
  } catch (error) {
    if (!isDataFault(error)) throw engineFailure(error)
    if (rows.length === 1) return [`the column store cannot hold it: ${firstLine(error)}`]
    const middle = rows.length >> 1
    const first = await insertRows(analytics, table, rows.slice(0, middle))
    return [...first, ...(await insertRows(analytics, table, rows.slice(middle)))]
  }
}

/** Engine errors that are about the rows, not about the engine; their names close the message in parentheses. */
const DATA_FAULT =
  /\((CANNOT_PARSE\w*|INCORRECT_DATA|TYPE_MISMATCH|TOO_LARGE_STRING\w*|ARGUMENT_OUT\w*|VALUE_IS_OUT\w*|DECIMAL_OVERFLOW|ILLEGAL_\w+)\)/

function isDataFault(error: unknown): boolean {
  return error instanceof Error && DATA_FAULT.test(`(${'type' in error ? error.type : ''}) ${error.message}`)
}

function engineFailure(cause: unknown): ApiError {
  const full = /NOT_ENOUGH_SPACE|No space left|CANNOT_WRITE|File too large/i.test(String(cause))
  const sentence = full
    ? 'The column store cannot write: its disk is full. Nothing of this request was acknowledged; free space and send it again.'
    : `The column store is not answering: ${firstLine(cause)}`
  return new ApiError('UNAVAILABLE', sentence, { cause, retryAfterSeconds: full ? 10 : 1 })
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.split('\n')[0]!.slice(0, 300)
}
