import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { namingStore } from '../unavailable-store.ts'
import { describeUnreachable } from '../unreachable-engine.ts'
import { migrateRelational } from './migrate.ts'
import { KEEP_ALIVE_OF_SERVER, openPool, POSTGRES_LIMITS } from './open-pool.ts'
import type { Database, Relational } from './port.ts'
import { readRestoreMark } from './restore-mark.ts'
import { createStoreMemory } from './store-memory.ts'
import { openPostgresRows } from './table-rows.ts'
import { openWriteLocks } from './write-locks.ts'

/**
 * Connects to a PostgreSQL server (14 or newer) and migrates its database.
 *
 * @throws UnreachableEngineError when it cannot be connected to
 * @param onIdleError  called when an idle connection of the pool breaks; the pool opens another one
 */
export async function openPostgres(
  url: string,
  onIdleError: (error: Error) => void,
  limits = POSTGRES_LIMITS,
): Promise<Relational> {
  await assertReachable(url)
  await assertNotRestoring(url)
  const options = `-c timezone=UTC ${KEEP_ALIVE_OF_SERVER}`
  const pool = openPool({ connectionString: url, max: 10, options }, onIdleError, limits)
  const db = drizzle(pool) as unknown as Database
  const locks = openWriteLocks(url, limits)
  const relational: Relational = {
    engine: 'postgres',
    db,
    memory: createStoreMemory(),
    locks,
    transaction: (work) => runTransaction(pool, work),
    runScript: async (text) => {
      const results = [await namingStore(STORE, pool.query(text))].flat() // several statements return several results
      return results.at(-1)?.rows ?? []
    },
    openRows: () => openPostgresRows(url),
    close: async () => {
      await locks.close()
      await pool.end()
    },
  }
  await migrateRelational(relational)
  return relational
}

const STORE = 'PostgreSQL'

/**
 * Runs a transaction on a connection of its own, which goes back to the pool however it ends. Drizzle's transaction of a pool
 * keeps the connection forever when `begin` fails, as it does on one that PostgreSQL has just ended.
 */
async function runTransaction<Result>(pool: pg.Pool, work: (tx: Database) => Promise<Result>): Promise<Result> {
  const client = await namingStore(STORE, pool.connect())
  try {
    return await drizzle(client).transaction((tx) => work(tx as unknown as Database))
  } finally {
    client.release() // closed instead when it is broken
  }
}

/** @throws Error when a restore into the database is running or was interrupted */
async function assertNotRestoring(url: string): Promise<void> {
  const connection = await openPostgresRows(url)
  try {
    if ((await readRestoreMark(connection)) === undefined) return
  } finally {
    await connection.close()
  }
  throw new Error(
    'A restore into the PostgreSQL database is running or was interrupted, so its data is not complete. Run `touchstone backup restore` again.',
  )
}

/** @throws UnreachableEngineError when it cannot be connected to */
export async function assertReachable(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: POSTGRES_LIMITS.connectMs })
  try {
    await client.connect()
  } catch (error) {
    const refusals = { user: ['28P01', '28000'], database: ['3D000'] }
    throw describeUnreachable({ engine: 'PostgreSQL', setting: 'TOUCHSTONE_POSTGRES_URL', url, refusals }, error)
  } finally {
    await client.end().catch(() => undefined) // of a connection that was never made
  }
}
