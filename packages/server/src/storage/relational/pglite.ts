import { mkdirSync } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import { migrateRelational } from './migrate.ts'
import type { Database, Relational } from './port.ts'

/**
 * Opens the embedded PostgreSQL below a directory, creating and migrating it as needed.
 *
 * @param directory  `memory://` keeps everything in memory, for tests
 */
export async function openPglite(directory: string): Promise<Relational> {
  if (!directory.startsWith('memory://')) mkdirSync(directory, { recursive: true })
  // Relaxed durability would answer before the files are written.
  const client = await PGlite.create(directory, { relaxedDurability: false })
  const db = drizzle(client) as unknown as Database
  const relational: Relational = {
    engine: 'pglite',
    db,
    transaction: (work) => db.transaction((tx) => work(tx as unknown as Database)),
    close: () => client.close(),
  }
  await migrateRelational(relational)
  return relational
}
