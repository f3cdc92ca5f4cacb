import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { migrateRelational } from './migrate.ts'
import type { Database, Relational } from './port.ts'
import { createStoreMemory } from './store-memory.ts'

/**
 * Connects to a PostgreSQL server (14 or newer) and migrates its database.
 *
 * @param onIdleError  called when an idle connection of the pool breaks; the pool opens another one
 */
export async function openPostgres(url: string, onIdleError: (error: Error) => void): Promise<Relational> {
  const pool = new pg.Pool({ connectionString: url, max: 10, options: '-c timezone=UTC' })
  pool.on('error', onIdleError)
  const db = drizzle(pool) as unknown as Database
  const relational: Relational = {
    engine: 'postgres',
    db,
    memory: createStoreMemory(),
    transaction: (work) => db.transaction((tx) => work(tx as unknown as Database)),
    runScript: async (text) => {
      const results = [await pool.query(text)].flat() // several statements return several results
      return results.at(-1)?.rows ?? []
    },
    close: () => pool.end(),
  }
  await migrateRelational(relational)
  return relational
}
