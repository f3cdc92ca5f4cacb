import type { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import { migrateRelational, migrations } from '../storage/relational/migrate.ts'
import type { Relational } from '../storage/relational/port.ts'
import { openEmptyCluster } from './pglite-template.ts'

/**
 * A database in memory that an earlier version made and filled, and that this version then upgraded.
 *
 * @param before  the first migration that the earlier version did not have
 * @param rows  statements that filled it
 */
export async function upgradedDatabase(before: number, rows: string): Promise<PGlite> {
  const client = await openEmptyCluster()
  await client.exec(
    'create table migrations (version int primary key, name text not null, applied_at timestamptz not null default now())',
  )
  for (const { version, name, sql } of migrations.filter((one) => one.version < before)) {
    await client.exec(sql)
    await client.query('insert into migrations values ($1, $2)', [version, name])
  }
  await client.exec(rows)
  const db = drizzle(client)
  const transaction: unknown = (work: (tx: unknown) => Promise<unknown>) => db.transaction(work)
  await migrateRelational({ transaction } as Relational)
  return client
}
