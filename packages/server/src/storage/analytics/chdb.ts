import { mkdirSync } from 'node:fs'
import { type ClickHouseClientConfigOptions, createClient } from '@clickhouse/client'
import { drainPending, Session } from 'chdb'
import { createChdbConnection } from 'chdb/connection'
import type { MemoryPlan } from '../../config.ts'
import { withChanges } from './changes.ts'
import { analyticsOver, SESSION_SETTINGS } from './clickhouse.ts'
import { guardDisk } from './damaged-parts.ts'
import { migrateAnalytics } from './migrate.ts'
import type { Analytics } from './port.ts'
import { literal, sql } from './sql.ts'

/**
 * Opens the embedded column store below a directory, creating and migrating it as needed. One process may hold one
 * directory: the caller keeps others out (see `storage/data-dir`).
 *
 * @param memory  what it may use; @default most of the machine's memory, and caches of gigabytes
 */
export async function openChdb(directory: string, memory?: MemoryPlan): Promise<Analytics> {
  mkdirSync(directory, { recursive: true })
  // The first session of a directory decides how the engine is set up; the connection takes no such arguments.
  const session = new Session(directory, { connectionArgs: memory === undefined ? [] : memoryArguments(memory) })
  const connection = createChdbConnection({ path: directory })
  // The two packages declare the same interface in two copies, which only `exactOptionalPropertyTypes` can tell apart.
  const client = createClient({ connection: connection as unknown as ClientConnection })
  const disk = guardDisk(client, directory)
  // Through the client a block is turned into a stream and back: 47 ms of the main thread per 1,000 runs, here 14 ms.
  const analytics = analyticsOver(client, async (table, lines) => {
    await disk.before()
    await connection.chdb.rawInsert({ table, format: 'JSONEachRow', values: Buffer.from(lines) })
    await disk.after()
  })
  for (const [name, value] of Object.entries(SESSION_SETTINGS))
    await analytics.command(literal(`set ${name} = ${value}`))
  await migrateAnalytics(analytics)
  const gate = createWriteLimiter()
  return withChanges({
    ...analytics,
    insert: (table, rows) => gate.write(() => analytics.insert(table, rows)),
    // Deletions may rewrite large tables.
    command: (statement) => gate.writeSlowly(() => analytics.command(statement)),
    snapshots: {
      directory,
      freeze: (name, whileWritesWait) =>
        gate.close(async () => {
          await freezeTables(analytics, name)
          return whileWritesWait()
        }),
    },
    async close() {
      await analytics.close()
      session.close()
      // Who asked may have gone; the engine works on. At the end of the process it would crash or wait for itself forever.
      await drainPending()
    },
  })
}

/** Caches of the engine whose own defaults are gigabytes each, whatever memory there is. */
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

/** The least of the engine's own defaults; a larger cache was never asked for. */
const ENGINE_CACHE_BYTES = 1024 ** 3

type ClientConnection = NonNullable<ClickHouseClientConfigOptions['connection']>

/**
 * Makes hard links to the active parts of every table below `shadow/<name>`. Parts never change, so this takes a few
 * milliseconds per table, whatever its size.
 *
 * @param name  letters, digits and `_`: the engine would print other characters differently in the name of the folder
 */
async function freezeTables(analytics: Analytics, name: string): Promise<void> {
  if (!/^\w+$/.test(name)) throw new Error(`"${name}" cannot name a folder of frozen tables.`)
  const tables = await analytics.query<{ name: string }>(sql`
    select name from system.tables
    where database = currentDatabase() and engine like '%MergeTree'
    order by name`)
  await Promise.all(
    tables.map((table) => analytics.command(literal(`alter table ${table.name} freeze with name '${name}'`))),
  )
}

/** Lets writes through at once, until somebody needs the store to stand still for a moment. */
interface WriteLimiter {
  /** Runs a write that a closing gate waits for; while the gate is closed it does not begin. */
  write<Result>(work: () => Promise<Result>): Promise<Result>
  /** Runs a write that may take long, and that a closing gate does not wait for; while it is closed it does not begin. */
  writeSlowly<Result>(work: () => Promise<Result>): Promise<Result>
  /** Waits for the writes that are running, runs `work` while others wait, and opens again, also after a failure. */
  close<Result>(work: () => Promise<Result>): Promise<Result>
}

export function createWriteLimiter(): WriteLimiter {
  const running = new Set<Promise<unknown>>()
  let closed: Promise<void> | undefined

  // Nothing may be awaited between a look at `closed` and what follows from it, so each loop stands where it is needed.
  return {
    async write(work) {
      while (closed !== undefined) await closed
      const write = work()
      running.add(write)
      try {
        return await write
      } finally {
        running.delete(write)
      }
    },
    async writeSlowly(work) {
      while (closed !== undefined) await closed
      return work()
    },
    async close(work) {
      while (closed !== undefined) await closed
      let open = () => {}
      closed = new Promise((resolve) => {
        open = () => {
          closed = undefined
          resolve()
        }
      })
      try {
        await Promise.allSettled(running)
        return await work()
      } finally {
        open()
      }
    },
  }
}
