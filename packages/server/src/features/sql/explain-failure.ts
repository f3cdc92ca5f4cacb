import { ApiError } from '@touchstone/contract'
import { COLUMN_HINT } from './rewrite-statement.ts'

export interface Limits {
  readonly seconds: number
  readonly memoryBytes: number
  readonly tenant: string
}

/** The engine's numbers of exceptions. */
const TOO_MANY_BYTES = '396'
const UNKNOWN_IDENTIFIER = '47'
const NO_MEMORY = '241'
const TOOK_TOO_LONG = new Set(['159', '160'])
const TOO_COMPLEX = new Set(['36', '62', '167', '168', '306'])

/** Whether the result exceeded the engine's size limit. */
export function isTooLarge(error: unknown): boolean {
  return findErrorCode(error) === TOO_MANY_BYTES
}

/**
 * Converts a failure that the statement caused to an error for its author. Other failures are returned unchanged.
 */
export function explainFailure(error: unknown, limits: Limits): unknown {
  const code = findErrorCode(error)
  if (code === undefined || !(error instanceof Error)) return error
  const refused = (problem: string) => new ApiError('INVALID_REQUEST', `SQL: ${problem}`, { cause: error })
  if (TOOK_TOO_LONG.has(code)) {
    return refused(
      `the statement took longer than ${limits.seconds} seconds and was stopped. Read less, by project or by time.`,
    )
  }
  if (code === NO_MEMORY && error.message.includes('(total)')) {
    return new ApiError('UNAVAILABLE', 'The store has no memory left for this statement; try again later.', {
      cause: error,
    })
  }
  if (code === NO_MEMORY) {
    const megabytes = limits.memoryBytes / 1024 / 1024
    return refused(
      `the statement needs more than ${megabytes} MB of memory. Read less, by project, by time or by columns.`,
    )
  }
  if (TOO_COMPLEX.has(code) && /too (big|deep|complex)|big|deep|recursion/i.test(error.message)) {
    return refused('the statement is too large or too deep for the store.')
  }
  if (code === UNKNOWN_IDENTIFIER) {
    const name = /identifier [`']([^`']{1,100})[`']/i.exec(error.message)?.[1]
    return refused(`there is no column ${name ?? 'of that name'}; ${COLUMN_HINT}.`)
  }
  return refused(toSentence(error, limits.tenant))
}

function findErrorCode(error: unknown): string | undefined {
  // The embedded engine throws a copy of the client's error class, so `instanceof` does not know it.
  if (!(error instanceof Error && 'code' in error)) return undefined
  return /^[0-9]+$/.test(String(error.code)) ? String(error.code) : undefined
}

/** Where the engine begins to quote the statement as it got it, which is not as it was written. */
const QUOTES =
  /[.,:]?\s*\(?(?:in scope|while|in query|maybe you meant|there are columns|required columns|required_columns|source columns|available columns|query:|stack trace)/i
/** Words of the statement as the engine got it. */
const INTERNAL_NAMES = /tenant|session_id|is_deleted|run_feedback|__table|\br\.|additional_table_filters/

function toSentence(error: Error, tenantId: string): string {
  const [sentence] = error.message.split(QUOTES)
  const isOurs = sentence === undefined || sentence.includes(tenantId) || INTERNAL_NAMES.test(sentence)
  const name = 'type' in error && typeof error.type === 'string' ? ` (${error.type})` : ''
  return isOurs ? `the store cannot run the statement${name}.` : `${sentence.trim().slice(0, 300)}${name}.`
}
