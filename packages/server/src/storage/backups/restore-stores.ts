import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openChdbToRestore } from '../analytics/chdb.ts'
import { type ClickHouseOptions, openClickHouseToRestore } from '../analytics/clickhouse.ts'
import { migrateAnalytics } from '../analytics/migrate.ts'
import { removeRestoreMark } from '../analytics/restore-mark.ts'
import { openPgliteToRestore } from '../relational/pglite.ts'
import { openPostgresRows } from '../relational/table-rows.ts'
import { readAnalytics, writeAnalytics } from './analytics-rows.ts'
import { BackupError, copyBackup } from './files.ts'
import type { Manifest } from './manifest.ts'
import { readRelational, writeRelational } from './relational-rows.ts'

/** The servers to restore into; a store without one is restored into a folder. */
export interface StoreServers {
  readonly postgresUrl?: string | undefined
  readonly clickhouseUrl?: string | undefined
  readonly clickhouse?: ClickHouseOptions | undefined
}

/** Makes the embedded stores of a backup below a folder: copies their files, or stores their rows. */
export async function makeEmbeddedStores(
  backup: string,
  dataDir: string,
  manifest: Manifest,
  { postgresUrl, clickhouseUrl }: StoreServers = {},
): Promise<void> {
  if (clickhouseUrl === undefined) {
    if (manifest.analytics.as_rows === undefined) await copyBackup(backup, dataDir, manifest, ['analytics'])
    else await storeAnalyticsRows(backup, join(dataDir, 'analytics'), manifest)
  }
  if (postgresUrl === undefined) {
    if (manifest.relational.as_rows === undefined) await copyBackup(backup, dataDir, manifest, ['relational'])
    else await storeRelationalRows(backup, join(dataDir, 'relational'), manifest)
  }
}

async function storeAnalyticsRows(backup: string, directory: string, manifest: Manifest): Promise<void> {
  await mkdir(directory, { mode: 0o700 })
  const analytics = await openChdbToRestore(directory)
  try {
    await readAnalytics(analytics, join(backup, 'analytics'), manifest.analytics)
    await removeRestoreMark(analytics)
  } finally {
    await analytics.close()
  }
}

async function storeRelationalRows(backup: string, directory: string, manifest: Manifest): Promise<void> {
  const connection = await openPgliteToRestore(directory)
  try {
    await readRelational(connection, join(backup, 'relational'), manifest.relational)
  } finally {
    await connection.close()
  }
}

/**
 * Fills the servers from a backup of either form. PostgreSQL is the last: its rows are stored in one transaction, and
 * until then the restore can be repeated.
 *
 * @param report  called with each step
 * @throws BackupError when a database is not empty
 */
export async function fillServers(
  backup: string,
  manifest: Manifest,
  { postgresUrl, clickhouseUrl, clickhouse }: StoreServers,
  report: (message: string) => void,
): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'touchstone-restore-'))
  const analytics =
    clickhouseUrl === undefined ? undefined : await openClickHouseToRestore(clickhouseUrl, clickhouse ?? {})
  try {
    const connection = postgresUrl === undefined ? undefined : await openPostgresRows(postgresUrl)
    try {
      if (analytics !== undefined) {
        const { folder, part } = await findAnalyticsRows(backup, scratch, manifest)
        report('Storing runs in ClickHouse')
        await readAnalytics(analytics, folder, part)
      }
      if (connection !== undefined) {
        const { folder, part } = await findRelationalRows(backup, scratch, manifest)
        report('Storing everything else in PostgreSQL')
        await readRelational(connection, folder, part)
      }
      if (analytics !== undefined) await removeRestoreMark(analytics)
    } finally {
      await connection?.close()
    }
  } catch (error) {
    throw error instanceof BackupError ? error : new BackupError('failed', (error as Error).message, error)
  } finally {
    await analytics?.close()
    await rm(scratch, { recursive: true, force: true })
  }
}

/** The rows of the column store of a backup; those of files are written to a temporary folder. */
async function findAnalyticsRows(backup: string, scratch: string, manifest: Manifest) {
  if (manifest.analytics.as_rows !== undefined) return { folder: join(backup, 'analytics'), part: manifest.analytics }
  const folder = join(scratch, 'analytics-rows')
  await mkdir(folder)
  await copyBackup(backup, scratch, manifest, ['analytics'])
  const analytics = await openChdbToRestore(join(scratch, 'analytics'))
  try {
    await migrateAnalytics(analytics, manifest.analytics.migration)
    const rows = await (await writeAnalytics(analytics.tables, folder)).written
    return { folder, part: { migration: manifest.analytics.migration, rows } }
  } finally {
    await analytics.close()
  }
}

async function findRelationalRows(backup: string, scratch: string, manifest: Manifest) {
  if (manifest.relational.as_rows !== undefined) {
    return { folder: join(backup, 'relational'), part: manifest.relational }
  }
  const folder = join(scratch, 'relational-rows')
  await mkdir(folder)
  await copyBackup(backup, scratch, manifest, ['relational'])
  const connection = await openPgliteToRestore(join(scratch, 'relational'))
  try {
    return { folder, part: await writeRelational(connection, folder) }
  } finally {
    await connection.close()
  }
}
