import { ApiError } from '@touchstone/contract'
import type { Metrics } from '../../http/metrics.ts'
import type { Relational } from '../relational/port.ts'
import { isFailureOfSystem } from '../unavailable-store.ts'
import type { Analytics } from './port.ts'
import type { Bound, Sql } from './sql.ts'
import { readEngineCode, toStoreFailure } from './store-failure.ts'

/** Characters of one statement, the same limit as the engine's `max_query_size`. */
export const MAX_STATEMENT_LENGTH = 1024 * 1024

/**
 * The same store with a limit on the time and the size of every select. A select over the limit is refused as a mistake
 * of the caller, so that no client repeats it.
 *
 * @param seconds  maximum time of one statement in the engine
 * @param readFilters  conditions on rows that may be read
 * @throws ApiError INVALID_REQUEST from a select that is too long, too deep or takes too much time; UNAVAILABLE when
 *   the engine has no memory left for it
 */
export function limitQueries(analytics: Analytics, seconds: number, readFilters?: ReadFilters): Analytics {
  const limited = async (statement: Sql): Promise<Sql> => {
    if (statement.text.length > MAX_STATEMENT_LENGTH) {
      const found = `${statement.text.length} characters of SQL, at most ${MAX_STATEMENT_LENGTH}`
      throw new ApiError(
        'INVALID_REQUEST',
        `The query is too large: it becomes ${found}. Use fewer filters or clauses.`,
      )
    }
    const filters = Object.entries((await readFilters?.(statement.text)) ?? {})
    const setting = filters.length === 0 ? '' : `, additional_table_filters = ${printFilters(filters)}`
    return { text: `${statement.text}\nsettings max_execution_time = ${seconds}${setting}`, params: statement.params }
  }
  const explained = withRefusals(analytics, {
    159: tookTooLong(seconds), // TIMEOUT_EXCEEDED
    160: tookTooLong(seconds), // TOO_SLOW
    167: isTooComplex, // TOO_DEEP_AST
    168: isTooComplex, // TOO_BIG_AST
    241: hasNoMemory, // MEMORY_LIMIT_EXCEEDED
    306: isTooComplex, // TOO_DEEP_RECURSION
    427: isTooComplex, // CANNOT_COMPILE_REGEXP: a pattern with thousands of `%`
  })
  return {
    ...explained,
    query: async (statement, row) => explained.query(await limited(statement), row),
    queryTexts: async (statement) => explained.queryTexts(await limited(statement)),
  }
}

/** The condition on the rows of each table that a statement may read, as SQL without parameters. */
type ReadFilters = (statement: string) => Promise<Readonly<Record<string, string>>>

/** The value of the engine's setting `additional_table_filters`. */
export function printFilters(filters: readonly (readonly [string, string])[]): string {
  return `{${filters.map(([table, condition]) => `'${table}': '${condition.replaceAll(/['\\]/g, '\\$&')}'`).join(', ')}}`
}

/**
 * The same store for writes: their reads have no limit, and failures have a kind.
 *
 * @throws StoreFailure from every method whose statement the engine did not execute
 */
export function withStoreFailures(analytics: Analytics): Analytics {
  const typed = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work
    } catch (error) {
      // Errors of our own code are no failures of the store.
      throw readEngineCode(error) === undefined && !isFailureOfSystem(error) ? error : toStoreFailure(error)
    }
  }
  return {
    ...analytics,
    query: (statement, row) => typed(analytics.query(statement, row)),
    queryTexts: (statement) => typed(analytics.queryTexts(statement)),
    command: (statement) => typed(analytics.command(statement)),
  }
}

type Refusal = (cause: Error) => ApiError

/** @param refusals  by the number of the engine's exception; other errors are thrown unchanged */
function withRefusals(analytics: Analytics, refusals: Readonly<Record<string, Refusal>>): Analytics {
  const explained = async <Result>(ask: () => Promise<Result>): Promise<Result> => {
    try {
      return await ask()
    } catch (error) {
      const code = readEngineCode(error)
      if (code === undefined || !(error instanceof Error)) throw error
      throw refusals[code]?.(error) ?? error
    }
  }
  return {
    ...analytics,
    query: (statement, row) => explained(() => analytics.query(statement, row)),
    queryTexts: (statement) => explained(() => analytics.queryTexts(statement)),
  }
}

const tookTooLong =
  (seconds: number): Refusal =>
  (cause) =>
    new ApiError(
      'INVALID_REQUEST',
      `The query took longer than ${seconds} seconds and was stopped. Narrow it by project, by time or by fewer clauses.`,
      { cause },
    )
const isTooComplex: Refusal = (cause) =>
  new ApiError('INVALID_REQUEST', 'The query is too complex for the store. Use fewer or less nested clauses.', {
    cause,
  })
const hasNoMemory: Refusal = (cause) =>
  new ApiError('UNAVAILABLE', 'The store has no memory left for this; narrow it, or send it again later.', { cause })

/** The same store; measures every call and counts failures of the engine. */
export function observeAnalytics(analytics: Analytics, metrics: Pick<Metrics, 'queried' | 'engineFailed'>): Analytics {
  async function observed<Result>(name: string, work: Promise<Result>): Promise<Result> {
    const began = performance.now()
    try {
      return await work
    } catch (error) {
      metrics.engineFailed('analytics')
      throw error
    } finally {
      metrics.queried(name, (performance.now() - began) / 1000)
    }
  }
  return {
    ...analytics,
    query: (statement, row) => observed('analytics select', analytics.query(statement, row)),
    queryTexts: (statement) => observed('analytics select', analytics.queryTexts(statement)),
    queryTable: (...asked) => observed('analytics sql', analytics.queryTable(...asked)),
    insert: (table, rows) => observed(`analytics insert ${table}`, analytics.insert(table, rows)),
    command: (statement) => observed('analytics command', analytics.command(statement)),
  }
}

/** The stores that a lookup may query. */
interface Stores {
  readonly relational: Relational
  readonly analytics: Pick<Analytics, 'query'>
}

/** A bound value that another query finds, so that a condition can use data of the other store. */
export interface LookupValue extends Bound {
  readonly value: PendingLookup
}

/** @param find  called when a statement with the value is sent; called once, also for several statements */
export function lookup(type: string, find: (stores: Stores) => Promise<unknown>): LookupValue {
  return { type, value: new PendingLookup(find) }
}

class PendingLookup {
  #found: Promise<unknown> | undefined

  constructor(private readonly find: (stores: Stores) => Promise<unknown>) {}

  in(stores: Stores): Promise<unknown> {
    this.#found ??= this.find(stores)
    return this.#found
  }
}

/** The same store; resolves the lookups of a statement before it is sent. */
export function withLookups(analytics: Analytics, relational: Relational): Analytics {
  const stores = { analytics, relational }
  async function resolved({ text, params }: Sql): Promise<Sql> {
    if (!Object.values(params).some((value) => value instanceof PendingLookup)) return { text, params }
    const entries = Object.entries(params).map(async ([name, value]) => [
      name,
      value instanceof PendingLookup ? await value.in(stores) : value,
    ])
    return { text, params: Object.fromEntries(await Promise.all(entries)) }
  }
  return {
    ...analytics,
    query: async (statement, row) => analytics.query(await resolved(statement), row),
    queryTexts: async (statement) => analytics.queryTexts(await resolved(statement)),
    command: async (statement) => analytics.command(await resolved(statement)),
  }
}
