import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import { createCluster } from './empty-cluster.ts'
import { migrateRelational } from './migrate.ts'
import { DURABLE_START, keepFilesPrivate, passSyncsOn, syncDirectory } from './pglite-durability.ts'
import type { Database, Relational } from './port.ts'

/**
 * Opens the embedded PostgreSQL below a directory, creating and migrating it as needed. What it has acknowledged
 * survives the death of the process and of the machine.
 *
 * @param bufferBytes  its `shared_buffers`; @default 128 MiB, its own default
 */
export async function openPglite(directory: string, bufferBytes?: number): Promise<Relational> {
  const isNew = !existsSync(join(directory, 'PG_VERSION'))
  if (isNew) createCluster(directory)
  mkdirSync(directory, { recursive: true })
  const buffers = bufferBytes === undefined ? [] : ['-c', `shared_buffers=${Math.floor(bufferBytes / 1024)}kB`]
  const client = await PGlite.create(directory, {
    relaxedDurability: false,
    startParams: [...DURABLE_START, ...SHORT_ANALYZE, ...buffers],
  })
  passSyncsOn(client)
  keepFilesPrivate(client, directory)
  const relational = { ...(await over(client)), directory }
  if (isNew) syncDirectory(directory)
  return relational
}

/** `analyze` samples 300 rows for each unit of this; with the default of 100 it keeps the event loop for 400 ms. */
const SHORT_ANALYZE = ['-c', 'default_statistics_target=20']

/**
 * A database that is gone with the process, for tests.
 *
 * @param dump  what it begins with; creating a cluster anew takes five times as long
 */
export async function openPgliteInMemory(dump?: Blob): Promise<Relational> {
  return over(await PGlite.create('memory://', dump && { loadDataDir: dump }))
}

/** An empty database of the newest version, to begin others with. */
export async function dumpEmptyPglite(): Promise<Blob> {
  const client = await PGlite.create('memory://')
  await over(client)
  const dump = await client.dumpDataDir('none')
  await client.close()
  return dump
}

async function over(client: PGlite): Promise<Relational> {
  pauseBetweenSteps(client)
  const db = drizzle(client) as unknown as Database
  const relational: Relational = {
    engine: 'pglite',
    db,
    transaction: (work) => db.transaction((tx) => work(tx as unknown as Database)),
    runScript: async (text) => (await client.exec(text)).at(-1)?.rows ?? [],
    close: () => client.close(),
  }
  await migrateRelational(relational)
  return relational
}

/** Milliseconds of the engine after which other work on the event loop gets its turn. */
const TURN_MS = 10

/**
 * The embedded engine works on the event loop, and the steps of a statement (parse, bind, execute) and the statements of a
 * transaction follow each other without a pause. After 10 ms of work this lets everything else run that is ready.
 */
function pauseBetweenSteps(client: PGlite): void {
  const step = client.execProtocolRaw.bind(client)
  let busyMs = 0
  client.execProtocolRaw = async (...args) => {
    const began = performance.now()
    const answer = await step(...args)
    busyMs += performance.now() - began
    if (busyMs > TURN_MS) {
      busyMs = 0
      await setImmediate()
    }
    return answer
  }
}
