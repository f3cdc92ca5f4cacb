import { join } from 'node:path'
import { FOLLOWING_TABLES, migrateAnalytics, TABLES } from '../analytics/migrate.ts'
import type { Analytics, WholeTables } from '../analytics/port.ts'
import { hasRestoreMark, setRestoreMark } from '../analytics/restore-mark.ts'
import { literal, sql } from '../analytics/sql.ts'
import { ROW_FILE, type WriteOptions } from '../row-files.ts'
import { COUNT_ROW, columns, count, text } from '../rows.ts'
import { BackupError } from './files.ts'
import type { Manifest } from './manifest.ts'

/** Its rows expire after a day, at any moment. */
export const EXPIRING_TABLE = 'ingest_receipts'

/**
 * The tables that others follow. A row that refers to a run may not be newer than the copy of the runs, so `runs` is the
 * last one.
 */
const SOURCES = [...TABLES]
  .filter((table) => table !== 'migrations' && table !== EXPIRING_TABLE && !FOLLOWING_TABLES.has(table))
  .toSorted((a, b) => Number(a === 'runs') - Number(b === 'runs'))

/**
 * Begins to write all tables to files in a folder. Resolves when it is certain which rows.
 *
 * @returns the rows by table, once they are in the files
 */
export async function writeAnalytics(
  tables: WholeTables,
  folder: string,
  options?: WriteOptions,
): Promise<{ readonly written: Promise<Record<string, number>> }> {
  const begun: [table: string, rows: Promise<number>][] = []
  for (const table of SOURCES) {
    const { written } = await tables.write(table, fileOf(folder, table), options)
    written.catch(() => undefined) // thrown below, when all have begun
    begun.push([table, written])
  }
  const rows = Promise.all(begun.map(async ([table, written]) => [table, await written] as const))
  return { written: rows.then((entries) => Object.fromEntries(entries)) }
}

/**
 * Fills an empty column store from the files of a folder. What an interrupted restore left is dropped first. The mark of a
 * running restore stays: the caller removes it when everything else is restored too.
 *
 * @param part  of the manifest: the version of the tables, and the number of rows of each
 * @throws BackupError when the store has tables, or other numbers of rows than the backup
 */
export async function readAnalytics(
  analytics: Analytics,
  folder: string,
  part: Pick<Manifest['analytics'], 'migration' | 'rows'>,
): Promise<void> {
  await assertEmptyAnalytics(analytics)
  await setRestoreMark(analytics)
  for (const table of await listTables(analytics))
    await analytics.command(literal(`drop table if exists ${table} sync`))
  await migrateAnalytics(analytics, part.migration)
  for (const [table, expected] of Object.entries(part.rows)) {
    if (!SOURCES.includes(table))
      throw new BackupError('failed', `The manifest names a table ${table}, which does not exist.`)
    await analytics.tables.read(table, fileOf(folder, table))
    const [counted] = await analytics.query(literal(`select count() as n from ${table}`), COUNT_ROW)
    const n = counted?.n ?? 0
    // The engine may merge versions of a row as soon as they are stored.
    if (n <= expected && (n > 0 || expected === 0)) continue
    throw new BackupError('failed', `The table ${table} has ${n} rows, and the manifest states ${expected}.`)
  }
}

/** @throws BackupError when the store has tables that are not those of an interrupted restore */
export async function assertEmptyAnalytics(analytics: Analytics): Promise<void> {
  const [first] = await listTables(analytics)
  if (first === undefined || (await hasRestoreMark(analytics))) return
  throw new BackupError(
    'not_empty',
    `The ClickHouse database is not empty: it has the table ${first}. Restore into a new database.`,
  )
}

/** Bytes of the files of all tables, at most: texts are compressed to less than a quarter. */
export async function estimateAnalytics(analytics: Pick<Analytics, 'query'>): Promise<number> {
  const [found] = await analytics.query(
    sql`
      select sum(greatest(bytes_on_disk, intDiv(data_uncompressed_bytes, 4))) as bytes from system.parts
      where database = currentDatabase() and active and replaceRegexpOne(table, '_shard$', '') in (${literal(SOURCES.map((table) => `'${table}'`).join(', '))})`,
    columns({ bytes: count }),
  )
  return found?.bytes ?? 0
}

async function listTables(analytics: Analytics): Promise<string[]> {
  const tables = await analytics.query(
    sql`select name from system.tables where database = currentDatabase() order by engine = 'MaterializedView' desc, name`,
    columns({ name: text }),
  )
  return tables
    .map(({ name }) => name)
    .filter((name) => TABLES.has(name.replace(/_shard$/, '')) || /_follow$/.test(name))
}

const fileOf = (folder: string, table: string) => join(folder, `${table}${ROW_FILE}`)
