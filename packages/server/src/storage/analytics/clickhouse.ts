import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import {
  type ClickHouseClient,
  type ClickHouseClientConfigOptions,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
} from '@clickhouse/client'
import { isLostConnection, namingStore } from '../unavailable-store.ts'
import { describeUnreachable } from '../unreachable-engine.ts'
import { type Cluster, clusterSettings, onCluster } from './cluster.ts'
import { FREE_BYTES_TO_INSERT } from './damaged-parts.ts'
import { migrateAnalytics, TABLES } from './migrate.ts'
import type { Analytics, EngineSettings, InsertRow, Table } from './port.ts'
import { assertNotRestoring } from './restore-mark.ts'
import { CLICKHOUSE_LIMITS, type ClickHouseLimits, createServerAgent } from './server-agent.ts'
import { type Sql, splitRows } from './sql.ts'
import { toInsertFailure } from './store-failure.ts'
import { createWholeTables } from './whole-tables.ts'
import { MAX_STATEMENT_LENGTH } from './wrappers.ts'

/** Settings of every session, for both engines. */
export const SESSION_SETTINGS = {
  // The engine returns 64-bit integers and decimals as strings, so that no digit is lost.
  output_format_json_quote_64bit_integers: 1,
  output_format_json_quote_decimals: 1,
  // An answer has a beginning and an end, see `splitRows`.
  output_format_json_array_of_rows: 1,
  // Statements with many word clauses are long, because each one repeats the expression of the index.
  max_query_size: String(MAX_STATEMENT_LENGTH),
  // Skip indexes under `final` must not return superseded rows.
  use_skip_indexes_if_final: 1,
  use_skip_indexes_if_final_exact_mode: 1,
  // Planning already reads the indexes; reading them again for the data costs: a page of a thread 33 → 16 ms of CPU.
  use_skip_indexes_on_data_read: 0,
  // A page stops early, so rows that are read ahead are discarded. One run in 1,000: 80 → 44 ms of CPU.
  read_in_order_use_buffering: 0,
  // Merges build the text indexes; a new part is scanned until then, which is fast while it is small. Building them for
  // every block cost a tenth of ingest and a dozen more files per block.
  materialize_skip_indexes_on_insert: 0,
  // An insert that runs out of space halfway would damage the table, so it is refused before it begins.
  min_free_disk_bytes_to_perform_insert: FREE_BYTES_TO_INSERT,
} as const

/** Appends rows given as JSON, at least one (JSONEachRow). */
export type InsertRows = (table: string, rows: readonly InsertRow[]) => Promise<void>

/**
 * Implements the port over the official client; the embedded engine and a server differ only in the connection.
 *
 * @param insertRows  a faster way into the engine than through the client, where one exists
 */
export function createAnalytics(
  client: ClickHouseClient,
  insertRows: InsertRows = createInsertRows(client),
): Analytics {
  async function queryTexts(statement: Sql): Promise<string[]> {
    const result = await client.query({
      query: statement.text,
      query_params: { ...statement.params },
      format: 'JSONEachRow',
    })
    return splitRows(await result.text())
  }

  return {
    queryTexts,
    async query(statement, row) {
      return (await queryTexts(statement)).map((line) => row(JSON.parse(line)))
    },
    queryTable: (statement, settings, { seconds }) => queryTable(client, statement, settings, seconds),
    async insert(table, rows) {
      if (rows.length === 0) return
      try {
        await insertRows(table, rows)
      } catch (error) {
        throw toInsertFailure(error)
      }
    },
    async command(statement) {
      await client.command({ query: statement.text, query_params: { ...statement.params } })
    },
    tables: createWholeTables(client),
    async close() {
      await client.close()
    },
  }
}

/** Rows in the form that `splitRows` reads, after a row of names and a row of types. */
const TABLE_SETTINGS: EngineSettings = {
  format_custom_escaping_rule: "'JSON'",
  format_custom_result_before_delimiter: "'[\\n'",
  format_custom_row_before_delimiter: "'['",
  format_custom_field_delimiter: "','",
  format_custom_row_after_delimiter: "']'",
  format_custom_row_between_delimiter: "',\\n'",
  format_custom_result_after_delimiter: "'\\n]\\n'",
  date_time_output_format: "'iso'",
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_decimals: 0,
  output_format_json_quote_denormals: 1,
}

/** Milliseconds after its time at which a statement is stopped: the engine looks at the time between blocks. */
const GRACE_MS = 2_000

/** The engine's code of a statement that took too long. */
const TIMEOUT_EXCEEDED = '159'

/** @param seconds  time after which the statement is killed; infinite where the process of the engine is ended instead */
async function queryTable(
  client: ClickHouseClient,
  statement: Sql,
  settings: EngineSettings,
  seconds: number,
): Promise<Table> {
  if (!Number.isFinite(seconds)) return readTable(client, statement, settings)
  const query_id = randomUUID()
  const aborter = new AbortController()
  const alarm = globalThis.setTimeout(() => aborter.abort(), seconds * 1000 + GRACE_MS)
  try {
    return await readTable(client, statement, settings, { query_id, abort_signal: aborter.signal })
  } catch (error) {
    if (!aborter.signal.aborted) throw error
    // The server stops it at the end of its current call; the user may lack the right, and the caller need not wait.
    client.command({ query: `kill query where query_id = '${query_id}' async` }).catch(() => {})
    throw Object.assign(new Error('the statement was stopped', { cause: error }), { code: TIMEOUT_EXCEEDED })
  } finally {
    clearTimeout(alarm)
  }
}

async function readTable(
  client: ClickHouseClient,
  { text, params }: Sql,
  settings: EngineSettings,
  options: { readonly query_id?: string; readonly abort_signal?: AbortSignal } = {},
): Promise<Table> {
  // The last setting forbids the statement to change the others.
  const all = { ...TABLE_SETTINGS, ...settings, readonly: 1 }
  const list = Object.entries(all).map(([name, value]) => `${name} = ${value}`)
  const result = await client.query({
    query: `${text}\nsettings ${list.join(', ')}`,
    query_params: { ...params },
    format: 'CustomSeparatedWithNamesAndTypes',
    ...options,
  })
  const [names, types, ...rows] = splitRows(await result.text())
  if (names === undefined || types === undefined) throw new Error('the column store sent an answer without columns')
  // An answer without rows has an empty line after the types.
  return { names: JSON.parse(names), types: JSON.parse(types), rows: rows.filter((row) => row !== '') }
}

/** How often a block is sent again whose answer was lost. */
const MAX_REPEATS = 2
const REPEAT_AFTER_MS = 200
/** A server that restarts is waited for; one that does not answer at all has been waited for already. */
const REPEAT_FOR_MS = 5_000

/**
 * Sends each block with a token of its own, the same when it is sent again, so that replicated tables and the views that
 * follow them store it once. A token is never used again: rows that were deleted and are inserted again would be
 * dropped.
 */
function createInsertRows(client: ClickHouseClient): InsertRows {
  return async (table, rows) => {
    const block = rows.map((row) => row.json).join('\n')
    const clickhouse_settings = { insert_deduplication_token: randomUUID() }
    const until = performance.now() + REPEAT_FOR_MS
    for (let repeats = 0; ; repeats++) {
      const values = Readable.from([block], { objectMode: false })
      try {
        const { stream } = await client.exec({
          query: `insert into ${table} format JSONEachRow`,
          values,
          clickhouse_settings,
        })
        stream.resume()
        return
      } catch (error) {
        const isLast = repeats === MAX_REPEATS || performance.now() > until
        if (isLast || !isLostConnection(error)) throw error
        await setTimeout(REPEAT_AFTER_MS * 2 ** repeats)
      }
    }
  }
}

/**
 * Options of connections that migrate or copy whole tables. A statement of a migration may rewrite every trace, which takes
 * longer than the time limit of the client; the headers keep proxies from closing a connection on which nothing is sent.
 */
const PATIENT_OPTIONS: ClickHouseClientConfigOptions = {
  request_timeout: 60 * 60_000,
  // A header every 20 seconds, for an hour: more than the 16 KB that Node.js accepts.
  max_response_headers_size: 1024 ** 2,
}

const PATIENT_SETTINGS: ClickHouseSettings = {
  send_progress_in_http_headers: 1,
  http_headers_progress_interval_ms: '20000',
}

export interface ClickHouseOptions {
  readonly cluster?: Cluster | undefined
  /** The server gathers the blocks of several processes; @default each block becomes a part at once */
  readonly asyncInserts?: boolean
  readonly limits?: ClickHouseLimits
}

/** Settings of inserts: an insert is answered when its rows are durable and readable in every case. */
const toInsertSettings = (asyncInserts: boolean): ClickHouseSettings => ({
  async_insert: asyncInserts ? 1 : 0,
  wait_for_async_insert: 1,
  ...(asyncInserts && { async_insert_busy_timeout_max_ms: 100, async_insert_max_data_size: '50000000' }),
  // Off before 26.2: a repeated insert would count twice in the tables that follow.
  deduplicate_blocks_in_dependent_materialized_views: 1,
})

/** Options of the client, without those that only a migration needs. */
export function toClientOptions(
  url: string,
  { cluster, asyncInserts = false, limits = CLICKHOUSE_LIMITS }: ClickHouseOptions = {},
) {
  const clickhouse_settings: ClickHouseSettings = {
    ...SESSION_SETTINGS,
    ...toInsertSettings(asyncInserts),
    ...(cluster && clusterSettings(cluster)),
  }
  return {
    url,
    clickhouse_settings,
    http_agent: createServerAgent(url, limits),
    request_timeout: limits.responseMs,
    // A query may name thousands of examples, which do not fit in a URL.
    use_multipart_params_auto: true,
    // Errors are thrown, and the server logs them.
    log: { level: ClickHouseLogLevel.OFF },
  } satisfies ClickHouseClientConfigOptions
}

/**
 * Connects to a ClickHouse server (26.2 or newer) and migrates its database.
 *
 * @param url  `http[s]://user:password@host:8123/database`
 * @throws UnreachableEngineError when it cannot be connected to
 */
export async function openClickHouse(url: string, given: ClickHouseOptions = {}): Promise<Analytics> {
  const patient = await openClickHouseToRestore(url, given)
  try {
    await assertNotRestoring(patient)
    await migrateAnalytics(patient)
  } catch (error) {
    await patient.close()
    throw error
  }
  const analytics = forCluster(createAnalytics(createClient(toClientOptions(url, given))), given.cluster)
  return {
    ...withName(analytics),
    tables: patient.tables,
    close: async () => {
      await analytics.close()
      await patient.close()
    },
  }
}

/** The same store, whose lost connections name it. */
function withName(analytics: Analytics): Analytics {
  const named = <Result>(work: Promise<Result>) => namingStore('ClickHouse', work)
  return {
    ...analytics,
    query: (statement, row) => named(analytics.query(statement, row)),
    queryTexts: (statement) => named(analytics.queryTexts(statement)),
    queryTable: (...asked) => named(analytics.queryTable(...asked)),
    // An insert fails with the kind of its failure.
    command: (statement) => named(analytics.command(statement)),
  }
}

/**
 * Connects to a ClickHouse server without migrating its database, for statements that may take an hour.
 *
 * @throws UnreachableEngineError when it cannot be connected to
 */
export async function openClickHouseToRestore(url: string, given: ClickHouseOptions = {}): Promise<Analytics> {
  const options = toClientOptions(url, given)
  const clickhouse_settings = { ...options.clickhouse_settings, ...PATIENT_SETTINGS }
  const client = createClient({ ...options, ...PATIENT_OPTIONS, clickhouse_settings })
  try {
    await assertClickHouseReachable(client, url)
  } catch (error) {
    await client.close()
    throw error
  }
  return forCluster(createAnalytics(client), given.cluster)
}

const forCluster = (analytics: Analytics, cluster: Cluster | undefined) =>
  cluster === undefined ? analytics : onCluster(analytics, cluster, TABLES)

/** @throws UnreachableEngineError when the server cannot be connected to */
export async function assertClickHouseReachable(client: ClickHouseClient, url: string): Promise<void> {
  const reached = await client.ping({ select: true })
  if (reached.success) return
  const refusals = { user: ['516', '192', '193', '194'], database: ['81'] }
  const address = { engine: 'ClickHouse', setting: 'TOUCHSTONE_CLICKHOUSE_URL', url, refusals } as const
  throw describeUnreachable(address, reached.error)
}
