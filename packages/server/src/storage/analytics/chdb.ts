import { mkdirSync } from 'node:fs'
import { type ClickHouseClientConfigOptions, createClient } from '@clickhouse/client'
import { drainPending } from 'chdb'
import { createChdbConnection } from 'chdb/connection'
import { withChanges } from './changes.ts'
import { analyticsOver, SESSION_SETTINGS } from './client.ts'
import { freezeTables } from './freeze-tables.ts'
import { guardDisk } from './full-disk.ts'
import { migrateAnalytics } from './migrate.ts'
import type { Analytics } from './port.ts'
import { literal } from './sql.ts'
import { createWriteGate } from './write-gate.ts'

/**
 * Opens the embedded column store below a directory, creating and migrating it as needed. One process may hold one
 * directory: the caller keeps others out (see the relational store's lock).
 */
export async function openChdb(directory: string): Promise<Analytics> {
  mkdirSync(directory, { recursive: true })
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
  const gate = createWriteGate()
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
      // Who asked may have gone; the engine works on. At the end of the process it would crash or wait for itself forever.
      await drainPending()
    },
  })
}

type ClientConnection = NonNullable<ClickHouseClientConfigOptions['connection']>
