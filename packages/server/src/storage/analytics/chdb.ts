import { mkdirSync } from 'node:fs'
import { type ClickHouseClientConfigOptions, createClient } from '@clickhouse/client'
import type { MemoryPlan } from '../../config.ts'
import { unpackPreparedStore } from '../data-dir/prepared-data.ts'
import { columns, text } from '../rows.ts'
import { withChanges } from './changes.ts'
import { createAnalytics, SESSION_SETTINGS } from './clickhouse.ts'
import { guardDisk } from './damaged-parts.ts'
import { type EngineWatchOptions, watchEngine } from './engine-watch.ts'
import { loadChdb } from './load-chdb.ts'
import { migrateAnalytics } from './migrate.ts'
import type { Analytics, InsertRow } from './port.ts'
import { literal, sql } from './sql.ts'
import { StatementProcess } from './statements/statement-process.ts'
import { createEmbeddedTables } from './whole-tables.ts'

/**
 * Opens the embedded column store below a directory, creates it where it is missing, and migrates it. Only one process
 * may use a directory: the caller locks it (see `storage/data-dir`).
 *
 * @param memory  limits of its memory; @default most of the memory of the machine, and caches of gigabytes
 * @param watch  what happens when the engine is stuck; @default nothing
 * @throws UnreachableEngineError where this platform has no build of the engine
 */
export async function openChdb(directory: string, memory?: MemoryPlan, watch?: EngineWatchOptions): Promise<Analytics> {
  await unpackPreparedStore('analytics', directory)
  const opened = await openChdbToRestore(directory, memory)
  await migrateAnalytics(opened)
  const analytics = watch === undefined ? opened : watchEngine(opened, watch)
  const limiter = createWriteLimiter()
  const statements = new StatementProcess(analytics, directory, memory)
  return withChanges({
    ...analytics,
    queryTable: (...asked) => statements.run(...asked),
    insert: (table, rows) => limiter.write(() => analytics.insert(table, rows)),
    // Deletions may rewrite large tables.
    command: (statement) => limiter.writeInBackground(() => analytics.command(statement)),
    snapshots: {
      directory,
      freeze: (name, whileWritesWait) =>
        limiter.pause(async () => {
          await freezeTables(analytics, name)
          return whileWritesWait()
        }),
    },
    async close() {
      statements.close()
      await analytics.close()
    },
  })
}

/** Opens the embedded column store without migrating it; a new one is empty. */
export async function openChdbToRestore(directory: string, memory?: MemoryPlan): Promise<Analytics> {
  const { drainPending, Session, createChdbConnection } = await loadChdb()
  mkdirSync(directory, { recursive: true })
  // The first session of a directory configures the engine; the connection takes no such arguments.
  const session = new Session(directory, { connectionArgs: memory === undefined ? [] : memoryArguments(memory) })
  const connection = createChdbConnection({ path: directory })
  // The two packages declare the same interface in two copies, which differ under `exactOptionalPropertyTypes` only.
  const client = createClient({ connection: connection as unknown as ClientConnection })
  const disk = guardDisk(client, directory)
  // The client would convert a block into a stream and back: 47 ms of the main thread per 1,000 runs; this takes 14 ms.
  const analytics = createAnalytics(client, async (table, rows) => {
    await disk.before()
    await connection.chdb.rawInsert({ table, format: 'JSONEachRow', values: printLines(rows) })
    await disk.after()
  })
  for (const [name, value] of Object.entries(SESSION_SETTINGS))
    await analytics.command(literal(`set ${name} = ${value}`))
  return {
    ...analytics,
    tables: createEmbeddedTables(analytics),
    async close() {
      await analytics.close()
      session.close()
      // A query may still run after its caller has gone. At the end of the process the engine would crash or hang.
      await drainPending()
    },
  }
}

/** One line per row. Joining the texts first would hold the block twice more, and in two bytes per character. */
function printLines(rows: readonly InsertRow[]): Buffer {
  const lines = Buffer.allocUnsafe(rows.reduce((sum, { json }) => sum + Buffer.byteLength(json) + 1, 0))
  let at = 0
  for (const { json } of rows) {
    at += lines.write(json, at)
    at = lines.writeUInt8(LINE_FEED, at)
  }
  return lines
}

const LINE_FEED = 10

/** Caches whose default sizes are gigabytes each, independent of the available memory. */
const CACHES = [
  'mark_cache_size',
  'index_mark_cache_size',
  'primary_index_cache_size',
  'text_index_tokens_cache_size',
  'text_index_header_cache_size',
  'text_index_postings_cache_size',
]

function memoryArguments({ analyticsBytes, analyticsCacheBytes }: MemoryPlan): string[] {
  return [
    `--max_server_memory_usage=${analyticsBytes}`,
    ...CACHES.map((cache) => `--${cache}=${Math.min(analyticsCacheBytes, ENGINE_CACHE_BYTES)}`),
  ]
}

/** The smallest of the engine's default sizes; a cache is never made larger than that. */
const ENGINE_CACHE_BYTES = 1024 ** 3

type ClientConnection = NonNullable<ClickHouseClientConfigOptions['connection']>

/**
 * Makes hard links to the active parts of every table below `shadow/<name>`. Parts never change, so this takes a few
 * milliseconds per table of any size.
 *
 * @param name  letters, digits and `_`: the engine encodes other characters in the name of the folder
 */
async function freezeTables(analytics: Analytics, name: string): Promise<void> {
  if (!/^\w+$/.test(name)) throw new Error(`"${name}" cannot name a folder of frozen tables.`)
  const tables = await analytics.query(
    sql`
      select name from system.tables
      where database = currentDatabase() and engine like '%MergeTree'
      order by name`,
    columns({ name: text }),
  )
  await Promise.all(
    tables.map((table) => analytics.command(literal(`alter table ${table.name} freeze with name '${name}'`))),
  )
}

/** Lets writes run at once, and can hold them back for a moment while a snapshot is made. */
interface WriteLimiter {
  /** Runs a write. `pause` waits for it; it does not start during a pause. */
  write<Result>(work: () => Promise<Result>): Promise<Result>
  /** Runs a write that may take long. `pause` does not wait for it; it does not start during a pause. */
  writeInBackground<Result>(work: () => Promise<Result>): Promise<Result>
  /** Waits for running writes, runs `work` while other writes wait, then lets them run, also after a failure. */
  pause<Result>(work: () => Promise<Result>): Promise<Result>
}

export function createWriteLimiter(): WriteLimiter {
  const running = new Set<Promise<unknown>>()
  let paused: Promise<void> | undefined

  // There must be no `await` between the check of `paused` and the next step, so each method has its own loop.
  return {
    async write(work) {
      while (paused !== undefined) await paused
      const write = work()
      running.add(write)
      try {
        return await write
      } finally {
        running.delete(write)
      }
    },
    async writeInBackground(work) {
      while (paused !== undefined) await paused
      return work()
    },
    async pause(work) {
      while (paused !== undefined) await paused
      let resume = () => {}
      paused = new Promise((resolve) => {
        resume = () => {
          paused = undefined
          resolve()
        }
      })
      try {
        await Promise.allSettled(running)
        return await work()
      } finally {
        resume()
      }
    },
  }
}
