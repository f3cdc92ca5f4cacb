import { ApiError, MAX_SQL_ROWS, type SqlDataType, type SqlQuery } from '@touchstone/contract'
import { addRawMembers, joinObjects } from '@touchstone/formats/write-object'
import type { Deps } from '../../deps.ts'
import { RawJson } from '../../http/serve.ts'
import type { EngineSettings, Table } from '../../storage/analytics/port.ts'
import { readEngineCode } from '../../storage/analytics/store-failure.ts'
import { selectProjectsById } from '../projects/index.ts'
import { COLUMN_HINT, type Rewritten, rewriteStatement } from './rewrite-statement.ts'
import { printTableFilters } from './tables.ts'

export type SqlDeps = Pick<Deps, 'analytics' | 'relational' | 'config'> & {
  readonly turns: StatementQueue
  /** The condition on feedback that the caller may read; undefined means all. */
  readonly readHiddenScores: () => Promise<string | undefined>
}

/** Time limit of one statement in seconds. */
const MAX_SECONDS = 10
const MAX_MEMORY_BYTES = 512 * 1024 * 1024
/** What the engine needs beside a statement. */
const ENGINE_BYTES = 16 * 1024 * 1024
/** The engine looks at the time between blocks. */
const MAX_BLOCK_ROWS = 8_192
/** Bytes of the returned rows. */
const MAX_ANSWER_BYTES = 10_000_000
/** Size limit of the engine's result before rows are omitted; printed rows may be several times larger. */
const MAX_RESULT_BYTES = 16 * 1024 * 1024

/**
 * Runs a statement over the runs and the feedback of projects.
 *
 * @throws ApiError INVALID_REQUEST for a statement that is not allowed, not understood, or takes too much; NOT_FOUND for an
 *   unknown project; RATE_LIMITED while too many statements wait
 */
export async function runStatement(
  deps: SqlDeps,
  tenantId: string,
  { project_ids, query }: SqlQuery,
): Promise<RawJson> {
  const statement = rewriteStatement(query)
  const projects = [...new Set(project_ids)]
  const known = await selectProjectsById(deps, tenantId, projects)
  const missing = projects.find((id) => !known.has(id))
  if (missing !== undefined) throw new ApiError('NOT_FOUND', `Project ${missing} not found`)
  const params = { tenant: tenantId, projects, visible: await deps.readHiddenScores() }
  await deps.analytics.settled?.(tenantId)
  const leave = await deps.turns.enter(tenantId)
  const began = performance.now()
  try {
    const { table, isShortened } = await readTable(deps, statement, params)
    return present(table, isShortened, Math.round(performance.now() - began))
  } finally {
    leave()
  }
}

interface Params {
  readonly tenant: string
  readonly projects: readonly string[]
  /** A condition on rows of feedback, as SQL. */
  readonly visible: string | undefined
}

/** Retries with fewer rows while the result is too large: the size of rows is only known after reading them. */
async function readTable({ analytics, config }: SqlDeps, statement: Rewritten, params: Params) {
  const seconds = Math.min(MAX_SECONDS, config.maxQuerySeconds)
  const deadline = performance.now() + seconds * 1000
  const memoryBytes =
    config.clickhouseUrl === undefined
      ? Math.min(MAX_MEMORY_BYTES, config.memory.statementBytes - ENGINE_BYTES)
      : MAX_MEMORY_BYTES
  for (const rows of [MAX_SQL_ROWS + 1, 100, 10, 1, 0]) {
    const left = Math.max(1, Math.ceil((deadline - performance.now()) / 1000))
    try {
      const text = statement.withLimit(rows)
      const table = await analytics.queryTable(
        { text, params: { tenant: params.tenant, projects: params.projects } },
        engineSettings(params, left, memoryBytes),
        { seconds: left, tables: statement.tables },
      )
      return { table, isShortened: rows <= MAX_SQL_ROWS }
    } catch (error) {
      if (!isTooLarge(error) || rows === 0) throw explainFailure(error, { seconds, memoryBytes, ...params })
    }
  }
  throw new ApiError('INVALID_REQUEST', 'SQL: the answer is too large.')
}

function engineSettings({ tenant, projects, visible }: Params, seconds: number, memoryBytes: number): EngineSettings {
  return {
    additional_table_filters: printTableFilters(tenant, projects, visible),
    // Conditions of the statement are evaluated after those of the workspace: an expression that fails on a row of
    // another workspace would reveal it.
    query_plan_filter_push_down: 0,
    query_plan_merge_filters: 0,
    enable_optimize_predicate_expression: 0,
    optimize_move_to_prewhere: 0,
    max_execution_time: seconds,
    max_memory_usage: memoryBytes,
    max_threads: 2,
    max_block_size: MAX_BLOCK_ROWS,
    max_joined_block_size_rows: MAX_BLOCK_ROWS,
    max_result_bytes: MAX_RESULT_BYTES,
    result_overflow_mode: "'throw'",
    max_expanded_ast_elements: 50_000,
    max_ast_elements: 20_000,
    session_timezone: "'UTC'",
    join_use_nulls: 1,
    cast_keep_nullable: 1,
  }
}

function present({ names, types, rows }: Table, isShortened: boolean, milliseconds: number): RawJson {
  const kept: string[] = []
  let bytes = 0
  for (const row of rows.slice(0, MAX_SQL_ROWS)) {
    bytes += Buffer.byteLength(row) + 1
    if (bytes > MAX_ANSWER_BYTES) break
    kept.push(row)
  }
  const isTooBig = isShortened || kept.length < Math.min(rows.length, MAX_SQL_ROWS)
  const reason = isTooBig ? 'size_limit' : rows.length > MAX_SQL_ROWS ? 'row_limit' : null
  const columns = names.map((name, at) => ({ name, data_type: toDataType(types[at] ?? '') }))
  const figures = {
    row_count: kept.length,
    is_truncated: reason !== null,
    truncation_reason: reason,
    warnings: [],
    execution_time_ms: milliseconds,
  }
  return new RawJson(joinObjects(addRawMembers({ columns }, { rows: `[${kept.join(',')}]` }), JSON.stringify(figures)))
}

/** Data types by the prefix of the engine's type name. */
const DATA_TYPES: readonly (readonly [RegExp, SqlDataType])[] = [
  [/^UUID$/, 'uuid'],
  [/^(String|FixedString|Enum|IPv)/, 'string'],
  [/^(U?Int|Interval)/, 'integer'],
  [/^(Float|Decimal|BFloat)/, 'float'],
  [/^Bool$/, 'boolean'],
  [/^DateTime/, 'timestamp'],
  [/^Date/, 'date'],
  [/^(Array|Tuple|Nested)/, 'list'],
  [/^(Map|JSON|Object)/, 'object'],
  [/^Nothing$/, 'null'],
]

/** The public type of a column, given the engine's type. */
function toDataType(type: string): SqlDataType {
  const inner = /^(?:Nullable|LowCardinality)\((.*)\)$/.exec(type)
  if (inner) return toDataType(inner[1] ?? '')
  return DATA_TYPES.find(([pattern]) => pattern.test(type))?.[1] ?? 'string'
}

/** Statements that may wait, and statements of one workspace that may run or wait. */
const MAX_WAITING = 5
const MAX_OF_TENANT = 4

/**
 * Runs one statement at a time: the process of the embedded engine cannot run more, and other engines stay free for other
 * requests. After a statement, one of another workspace is next, if one waits.
 */
export class StatementQueue {
  readonly #waiting: { readonly tenantId: string; readonly start: () => void }[] = []
  #isTaken = false
  readonly #ofTenant = new Map<string, number>()

  /**
   * Waits for a turn.
   *
   * @returns a function that ends the turn; call it once
   * @throws ApiError RATE_LIMITED when too many wait already
   */
  async enter(tenantId: string): Promise<() => void> {
    const own = this.#ofTenant.get(tenantId) ?? 0
    if (own >= MAX_OF_TENANT || this.#waiting.length >= MAX_WAITING) {
      throw new ApiError('RATE_LIMITED', 'SQL: too many statements are running; try again shortly.', {
        retryAfterSeconds: 2,
      })
    }
    this.#ofTenant.set(tenantId, own + 1)
    if (this.#isTaken) await new Promise<void>((start) => this.#waiting.push({ tenantId, start }))
    this.#isTaken = true
    return () => this.#leave(tenantId)
  }

  #leave(tenantId: string): void {
    const left = (this.#ofTenant.get(tenantId) ?? 0) - 1
    if (left <= 0) this.#ofTenant.delete(tenantId)
    else this.#ofTenant.set(tenantId, left)
    // Start the next waiting statement directly, so that no new one runs before it.
    const ofOther = this.#waiting.findIndex((one) => one.tenantId !== tenantId)
    const [next] = this.#waiting.splice(Math.max(0, ofOther), 1)
    if (next === undefined) this.#isTaken = false
    else next.start()
  }
}

interface Limits {
  readonly seconds: number
  readonly memoryBytes: number
  readonly tenant: string
}

/** Error codes of the engine. */
const TOO_MANY_BYTES = 396
const UNKNOWN_IDENTIFIER = 47
const NO_MEMORY = 241
const TOOK_TOO_LONG = new Set([159, 160])
const TOO_COMPLEX = new Set([36, 62, 167, 168, 306])

/** Whether the result exceeded the engine's size limit. */
function isTooLarge(error: unknown): boolean {
  return readEngineCode(error) === TOO_MANY_BYTES
}

/**
 * Converts a failure that the statement caused to an error for its author. Other failures are returned unchanged.
 */
function explainFailure(error: unknown, limits: Limits): unknown {
  const code = readEngineCode(error)
  if (code === undefined || !(error instanceof Error)) return error
  const toError = (problem: string) => new ApiError('INVALID_REQUEST', `SQL: ${problem}`, { cause: error })
  if (TOOK_TOO_LONG.has(code)) {
    return toError(
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
    return toError(
      `the statement needs more than ${megabytes} MB of memory. Read less, by project, by time or by columns.`,
    )
  }
  if (TOO_COMPLEX.has(code) && /too (big|deep|complex)|big|deep|recursion/i.test(error.message)) {
    return toError('the statement is too large or too deep for the store.')
  }
  if (code === UNKNOWN_IDENTIFIER) {
    const name = /identifier [`']([^`']{1,100})[`']/i.exec(error.message)?.[1]
    return toError(`there is no column ${name ?? 'of that name'}; ${COLUMN_HINT}.`)
  }
  return toError(toSentence(error, limits.tenant))
}

/** The text after which the engine quotes the rewritten statement, which its author does not know. */
const QUOTES =
  /(?:[.,:]\s*|(?<!\s)\s+|)\(?(?:in scope|while|in query|maybe you meant|there are columns|required columns|required_columns|source columns|available columns|query:|stack trace)/i
/** Words of the rewritten statement. */
const INTERNAL_NAMES = /tenant|session_id|is_deleted|run_feedback|__table|\br\.|additional_table_filters/

function toSentence(error: Error, tenantId: string): string {
  const [sentence] = error.message.split(QUOTES)
  const isOurs = sentence === undefined || sentence.includes(tenantId) || INTERNAL_NAMES.test(sentence)
  const name = 'type' in error && typeof error.type === 'string' ? ` (${error.type})` : ''
  return isOurs ? `the store cannot run the statement${name}.` : `${sentence.trim().slice(0, 300)}${name}.`
}
