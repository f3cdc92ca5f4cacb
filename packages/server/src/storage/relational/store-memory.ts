import { sql } from 'drizzle-orm'
import { columns, figure } from '../rows.ts'
import { toRows } from './migrate.ts'
import type { Relational } from './port.ts'

/** What this process remembers about a relational store while the store is open. */
export interface StoreMemory {
  /** Texts that never change, such as ids and secrets, by name; see `readOnce`. */
  readonly constants: Map<string, Promise<string>>
  /** Rows written to a table since its statistics were updated; see `keepStatistics`. */
  readonly rowsSinceAnalyze: Map<string, number>
}

export function createStoreMemory(): StoreMemory {
  return { constants: new Map(), rowsSinceAnalyze: new Map() }
}

/** Reads a text that never changes at most once for each store; a failed read is repeated by the next call. */
export function readOnce(
  { memory: { constants } }: Relational,
  name: string,
  read: () => Promise<string>,
): Promise<string> {
  const remembered = constants.get(name)
  if (remembered !== undefined) return remembered
  const text = read()
  constants.set(name, text)
  text.catch(() => constants.delete(name))
  return text
}

/** Rows below which plans do not matter. */
const FEW = 2_000
/** Share of a table that may be new before its statistics mislead the planner. */
const SHARE = 0.2

/**
 * Updates the planner's statistics of tables that have grown. A PostgreSQL server does this in the background; the
 * embedded engine has no background process, and without statistics it sorts whole datasets for every page.
 *
 * @param tables  names of our own tables; the first one decides
 * @param rows  written to the first table since the last call
 */
export async function keepStatistics(
  { engine, db, memory: { rowsSinceAnalyze } }: Relational,
  tables: readonly [string, ...string[]],
  rows: number,
): Promise<void> {
  if (engine !== 'pglite' || rows === 0) return
  const [table] = tables
  const since = (rowsSinceAnalyze.get(table) ?? 0) + rows
  rowsSinceAnalyze.set(table, since)
  if (since < FEW) return
  const result = await db.execute(sql`select reltuples from pg_class where relname = ${table}`)
  const analyzedRows = Math.max(0, toRows(result, columns({ reltuples: figure }))[0]?.reltuples ?? 0)
  if (since < analyzedRows * SHARE) return
  rowsSinceAnalyze.set(table, 0)
  for (const name of tables) await db.execute(sql.raw(`analyze ${name}`))
}
