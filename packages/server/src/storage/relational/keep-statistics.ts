import { sql } from 'drizzle-orm'
import { toRows } from './migrate.ts'
import type { Relational } from './port.ts'

const written = new WeakMap<object, Map<string, number>>()

/** Rows below which plans do not matter. */
const FEW = 2_000
/** Share of a table that may be new before its statistics mislead. */
const SHARE = 0.2

/**
 * Tells the planner about a table that has grown. A server does this by itself; the embedded engine has nobody who
 * would, and without statistics it sorts whole datasets for every page.
 *
 * @param tables  names of our own tables
 * @param rows  written to the first of them since the last call
 */
export async function keepStatistics(relational: Relational, tables: readonly string[], rows: number): Promise<void> {
  if (relational.engine !== 'pglite' || rows === 0) return
  const [table] = tables
  const counts = written.get(relational.db) ?? new Map<string, number>()
  written.set(relational.db, counts)
  const since = (counts.get(table!) ?? 0) + rows
  counts.set(table!, since)
  if (since < FEW) return
  const result = await relational.db.execute(sql`select reltuples from pg_class where relname = ${table}`)
  const known = Math.max(0, Number(toRows<{ reltuples: number }>(result)[0]?.reltuples ?? 0))
  if (since < known * SHARE) return
  counts.set(table!, 0)
  for (const name of tables) await relational.db.execute(sql.raw(`analyze ${name}`))
}
