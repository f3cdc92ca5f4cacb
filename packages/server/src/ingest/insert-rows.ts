import { ApiError } from '@touchstone/contract'
import type { Problems } from '../outcome.ts'
import type { Analytics, InsertRow } from '../storage/analytics/port.ts'

/**
 * Appends rows as one block. If the engine cannot read a row, the block is halved until the row is found; the other rows
 * are stored.
 *
 * @returns the rows that the engine refused
 * @throws ApiError UNAVAILABLE when the engine itself failed, e.g. on a full disk; then no row of the block is promised
 */
export async function insertRows<Row extends InsertRow>(
  analytics: Analytics,
  table: string,
  rows: readonly Row[],
): Promise<Problems<Row>> {
  try {
    await analytics.insert(table, rows)
    return new Map()
  } catch (error) {
    if (!isDataFault(error)) throw toApiError(error)
    if (rows.length <= 1)
      return new Map(rows.map((row) => [row, `the column store cannot hold it: ${readFirstLine(error)}`]))
    const middle = rows.length >> 1
    const first = await insertRows(analytics, table, rows.slice(0, middle))
    return new Map([...first, ...(await insertRows(analytics, table, rows.slice(middle)))])
  }
}

/**
 * Engine errors about the rows, not about the engine; the engine prints their names in parentheses at the end of the
 * message. The embedded engine gives no code, so the message is the only source.
 */
const DATA_FAULT =
  /\((CANNOT_PARSE\w*|INCORRECT_DATA|TYPE_MISMATCH|TOO_LARGE_STRING\w*|ARGUMENT_OUT\w*|VALUE_IS_OUT\w*|DECIMAL_OVERFLOW|ILLEGAL_\w+)\)/

function isDataFault(error: unknown): boolean {
  return error instanceof Error && DATA_FAULT.test(`(${'type' in error ? error.type : ''}) ${error.message}`)
}

function toApiError(cause: unknown): ApiError {
  const isFull = /NOT_ENOUGH_SPACE|No space left|CANNOT_WRITE|File too large/i.test(String(cause))
  const message = isFull
    ? 'The column store cannot write: its disk is full. Nothing of this request was acknowledged; free space and send it again.'
    : `The column store is not answering: ${readFirstLine(cause)}`
  return new ApiError('UNAVAILABLE', message, { cause, retryAfterSeconds: isFull ? 10 : 1 })
}

function readFirstLine(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return line.slice(0, 300)
}
