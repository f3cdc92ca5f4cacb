import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openChdbToRestore } from '../analytics/chdb.ts'
import { type ClickHouseOptions, openClickHouseToRestore } from '../analytics/clickhouse.ts'
import { migrateAnalytics } from '../analytics/migrate.ts'
import type { Analytics } from '../analytics/port.ts'
import * as analyticsMark from '../analytics/restore-mark.ts'
import { openPgliteToRestore } from '../relational/pglite.ts'
import { assertReachable } from '../relational/postgres.ts'
import * as relationalMark from '../relational/restore-mark.ts'
import { openPostgresRows, type TableRows } from '../relational/table-rows.ts'
import { assertEmptyAnalytics, readAnalytics, writeAnalytics } from './analytics-rows.ts'
import { BackupError, copyBackup } from './files.ts'
import type { Manifest } from './manifest.ts'
import { assertEmptyDatabase, readRelational, writeRelational } from './relational-rows.ts'

/** The servers to restore into; a store without one is restored into a folder. */
export interface StoreServers {
  readonly postgresUrl?: string | undefined
  readonly clickhouseUrl?: string | undefined
  readonly clickhouse?: ClickHouseOptions | undefined
}

/** Servers that are marked until the restore has ended: no process of Touchstone starts on them meanwhile. */
export interface MarkedServers {
  readonly analytics: Analytics | undefined
  readonly relational: TableRows | undefined
  /** A repeated restore finds PostgreSQL filled, which is done in one transaction. */
  readonly isRelationalFilled: boolean
  close(): Promise<void>
}

/**
 * Connects to the servers and marks them, before anything is restored.
 *
 * @throws BackupError when one cannot be connected to, or is not empty
 */
export async function markServers(manifest: Manifest, servers: StoreServers): Promise<MarkedServers> {
  const { postgresUrl, clickhouseUrl, clickhouse } = servers
  let analytics: Analytics | undefined
  let relational: TableRows | undefined
  const close = async () => {
    await relational?.close()
    await analytics?.close()
  }
  try {
    if (clickhouseUrl !== undefined) analytics = await openClickHouseToRestore(clickhouseUrl, clickhouse)
    if (postgresUrl !== undefined) {
      await assertReachable(postgresUrl)
      relational = await openPostgresRows(postgresUrl)
    }
    if (analytics !== undefined) await assertEmptyAnalytics(analytics)
    const isRelationalFilled = relational !== undefined && (await markDatabase(relational, manifest))
    if (analytics !== undefined) await analyticsMark.setRestoreMark(analytics)
    return { analytics, relational, isRelationalFilled, close }
  } catch (error) {
    await close()
    throw toBackupError(error)
  }
}

/** @returns whether an earlier restore of the same backup has filled the database */
async function markDatabase(connection: TableRows, manifest: Manifest): Promise<boolean> {
  const backup = createHash('sha256').update(JSON.stringify(manifest)).digest('hex')
  const mark = await relationalMark.readRestoreMark(connection)
  if (mark?.isFilled && mark.backup === backup) return true
  await assertEmptyDatabase(connection, mark !== undefined)
  await relationalMark.removeRestoreMark(connection)
  await relationalMark.setRestoreMark(connection, backup)
  return false
}

/**
 * Fills marked servers from a backup of either form, and removes the marks.
 *
 * @param report  called with each step
 */
export async function fillServers(
  backup: string,
  manifest: Manifest,
  { analytics, relational, isRelationalFilled }: MarkedServers,
  report: (message: string) => void,
): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'touchstone-restore-'))
  try {
    if (analytics !== undefined) {
      const { folder, part } = await findAnalyticsRows(backup, scratch, manifest)
      report('Storing runs in ClickHouse')
      await readAnalytics(analytics, folder, part)
    }
    if (relational !== undefined && !isRelationalFilled) {
      const { folder, part } = await findRelationalRows(backup, scratch, manifest)
      report('Storing everything else in PostgreSQL')
      await readRelational(relational, folder, part, () => relationalMark.markAsFilled(relational))
    }
    if (analytics !== undefined) await analyticsMark.removeRestoreMark(analytics)
    if (relational !== undefined) await relationalMark.removeRestoreMark(relational)
  } catch (error) {
    throw toBackupError(error)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

const toBackupError = (error: unknown): BackupError =>
  error instanceof BackupError ? error : new BackupError('failed', (error as Error).message, error)

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
