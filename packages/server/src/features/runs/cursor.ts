import { ApiError, parseTime, parseUuid } from '@touchstone/contract'

/** Where a page ended: the next one starts after this key, however many runs arrived meanwhile. */
export interface RunCursor {
  /** In the contract's printed form. */
  readonly startTime: string
  readonly id: string
}

export function printCursor(cursor: RunCursor): string {
  return Buffer.from(JSON.stringify([cursor.startTime, cursor.id])).toString('base64url')
}

/** @throws ApiError INVALID_REQUEST when the text is not a cursor of ours */
export function parseCursor(text: string): RunCursor {
  try {
    const [start, run] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown[]
    const startTime = parseTime(start)
    const id = parseUuid(run)
    if (startTime !== undefined && id !== undefined) return { startTime, id }
  } catch {
    // Not ours: told below, like every other text that is no cursor.
  }
  throw new ApiError('INVALID_REQUEST', 'cursor is not one that this server gave out; start again without it')
}
