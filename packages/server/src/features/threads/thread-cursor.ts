import { ApiError, parseTime } from '@touchstone/contract'

/** Where a page of threads ended. */
export interface ThreadCursor {
  /** Start of the last trace of its last thread, in the contract's printed form. */
  readonly startTime: string
  readonly threadId: string
}

export function printThreadCursor({ startTime, threadId }: ThreadCursor): string {
  return Buffer.from(JSON.stringify([startTime, threadId])).toString('base64url')
}

/** @throws ApiError INVALID_REQUEST when the text is not a cursor of ours */
export function parseThreadCursor(text: string): ThreadCursor {
  try {
    const [start, threadId] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown[]
    const startTime = parseTime(start)
    if (startTime !== undefined && typeof threadId === 'string') return { startTime, threadId }
  } catch {
    // Not ours: told below, like every other text that is no cursor.
  }
  throw new ApiError('INVALID_REQUEST', 'cursor is not one that this server gave out; start again without it')
}
