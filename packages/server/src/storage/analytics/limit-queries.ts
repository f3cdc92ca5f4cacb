import { ApiError } from '@touchstone/contract'
import type { Analytics } from './port.ts'
import type { Sql } from './sql.ts'

/** Characters of one statement, what the engine is set to read at most (`max_query_size`). */
export const MAX_STATEMENT_LENGTH = 1024 * 1024

/**
 * The same store with a limit on the time and the size of every select. What a caller asks for may take long; what is
 * past the limit is refused as the caller's mistake, so that no client repeats it.
 *
 * @param seconds  that the engine may work on one statement
 * @throws ApiError INVALID_REQUEST from a select that is too long, too deep or takes too much time; UNAVAILABLE when the
 *   engine has no memory left for it
 */
export function limitQueries(analytics: Analytics, seconds: number): Analytics {
  const limited = (statement: Sql): Sql => {
    if (statement.text.length > MAX_STATEMENT_LENGTH) {
      const found = `${statement.text.length} characters of SQL, at most ${MAX_STATEMENT_LENGTH}`
      throw new ApiError(
        'INVALID_REQUEST',
        `The query is too large: it becomes ${found}. Use fewer filters or clauses.`,
      )
    }
    return { text: `${statement.text}\nsettings max_execution_time = ${seconds}`, params: statement.params }
  }
  return {
    ...analytics,
    query: (statement) => explained(seconds, async () => analytics.query(limited(statement))),
    queryTexts: (statement) => explained(seconds, async () => analytics.queryTexts(limited(statement))),
  }
}

/**
 * The same store for writes: what they read first has no limit, and when the engine has no memory left for it the answer
 * is UNAVAILABLE, so that the sender repeats it.
 */
export function explainLackOfMemory(analytics: Analytics): Analytics {
  const explain = async <Result>(ask: () => Promise<Result>): Promise<Result> => {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof Error && 'code' in error) || String(error.code) !== NO_MEMORY) throw error
      throw new ApiError('UNAVAILABLE', 'The store has no memory left for this; send it again later.', {
        cause: error,
        retryAfterSeconds: 1,
      })
    }
  }
  return {
    ...analytics,
    query: (statement) => explain(() => analytics.query(statement)),
    queryTexts: (statement) => explain(() => analytics.queryTexts(statement)),
  }
}

/** The engine's number of MEMORY_LIMIT_EXCEEDED. */
const NO_MEMORY = '241'

async function explained<Result>(seconds: number, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask()
  } catch (error) {
    // The embedded engine throws a copy of the client's error class, so `instanceof` does not know it.
    if (!(error instanceof Error && 'code' in error)) throw error
    const refusal = REFUSALS[String(error.code)]
    throw refusal === undefined ? error : refusal(seconds, error)
  }
}

type Refusal = (seconds: number, cause: Error) => ApiError

const tookTooLong: Refusal = (seconds, cause) =>
  new ApiError(
    'INVALID_REQUEST',
    `The query took longer than ${seconds} seconds and was stopped. Narrow it by project, by time or by fewer clauses.`,
    { cause },
  )
const isTooComplex: Refusal = (_, cause) =>
  new ApiError('INVALID_REQUEST', 'The query is too complex for the store. Use fewer or less nested clauses.', {
    cause,
  })
const hasNoMemory: Refusal = (_, cause) =>
  new ApiError('UNAVAILABLE', 'The store has no memory left for this query; narrow it or try again later.', { cause })

/** By the engine's number of its exception. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  159: tookTooLong, // TIMEOUT_EXCEEDED
  160: tookTooLong, // TOO_SLOW
  167: isTooComplex, // TOO_DEEP_AST
  168: isTooComplex, // TOO_BIG_AST
  [NO_MEMORY]: hasNoMemory,
  306: isTooComplex, // TOO_DEEP_RECURSION
  427: isTooComplex, // CANNOT_COMPILE_REGEXP: a pattern with thousands of `%`
}
