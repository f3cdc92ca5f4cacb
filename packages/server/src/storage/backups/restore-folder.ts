import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openChdbToRestore } from '../analytics/chdb.ts'
import { removeRestoreMark } from '../analytics/restore-mark.ts'
import { openPgliteToRestore } from '../relational/pglite.ts'
import { readAnalytics } from './analytics-rows.ts'
import { copyBackup } from './files.ts'
import type { Manifest } from './manifest.ts'
import { readRelational } from './relational-rows.ts'
import type { StoreServers } from './restore-servers.ts'

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
