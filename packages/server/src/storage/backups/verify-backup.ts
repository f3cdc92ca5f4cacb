import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openChdb } from '../analytics/chdb.ts'
import { literal, sql } from '../analytics/sql.ts'
import { NEWEST_VERSION as relationalVersion } from '../relational/migrate.ts'
import { openPglite } from '../relational/pglite.ts'
import { ANY_ROW, COUNT_ROW, columns, text } from '../rows.ts'
import { EXPIRING_TABLE } from './analytics-rows.ts'
import { assertChecksums, assertKnownMigrations } from './check-files.ts'
import { countRelationalRows } from './copy-stores.ts'
import { BackupError } from './files.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { makeEmbeddedStores } from './restore-folder.ts'

/**
 * Reads every file of a backup and opens both stores from a temporary copy.
 *
 * @param report       called with each step
 * @param scratchRoot  where the copy of the stores is made and removed. @default the system's temporary folder
 * @returns the manifest of a backup that can be restored
 * @throws BackupError with the reason
 */
export async function verifyBackup(
  backup: string,
  report: (message: string) => void = () => {},
  scratchRoot: string = tmpdir(),
): Promise<Manifest> {
  const manifest = await readManifest(backup)
  assertKnownMigrations(backup, manifest)
  report(`Reading ${manifest.files.length} files (${Math.ceil(manifest.bytes / 1024 / 1024)} MiB)`)
  await assertChecksums(backup, manifest)
  const scratch = await mkdtemp(join(scratchRoot, 'touchstone-verify-'))
  try {
    report(`Opening both stores from a copy in ${scratch}`)
    await makeEmbeddedStores(backup, scratch, manifest)
    await assertRelational(join(scratch, 'relational'), manifest)
    await assertAnalytics(join(scratch, 'analytics'), manifest)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  return manifest
}

async function assertRelational(directory: string, { relational: expected }: Manifest): Promise<void> {
  const relational = await openPglite(directory).catch((error) => {
    throw new BackupError('failed', `The relational store of the backup does not open: ${firstLine(error)}`, error)
  })
  try {
    // Rows are counted when they are stored, and a migration may have changed them.
    if (expected.as_rows !== undefined || expected.migration !== relationalVersion) return
    const found = await relational.transaction(countRelationalRows)
    const table = Object.keys(expected.rows).find((name) => found[name] !== expected.rows[name])
    if (table === undefined) return
    throw new BackupError(
      'failed',
      `The table ${table} has ${found[table] ?? 'no'} rows, and the manifest states ${expected.rows[table]}.`,
    )
  } finally {
    await relational.close()
  }
}

/** The engine may merge versions of a row as soon as it is open, so rows can only have become fewer. */
async function assertAnalytics(directory: string, { analytics: expected }: Manifest): Promise<void> {
  const analytics = await openChdb(directory).catch((error) => {
    throw new BackupError('failed', `The column store of the backup does not open: ${firstLine(error)}`, error)
  })
  try {
    const broken = await analytics.query(
      sql`select table, name from system.detached_parts where database = currentDatabase()`,
      columns({ table: text, name: text }),
    )
    if (broken[0]) throw new BackupError('failed', `Part ${broken[0].name} of ${broken[0].table} cannot be read.`)
    for (const [table, rows] of Object.entries(expected.rows)) {
      await analytics.query(literal(`check table ${table}`), ANY_ROW).catch((error) => {
        throw new BackupError('failed', `The table ${table} of the column store is damaged: ${firstLine(error)}`, error)
      })
      const [counted] = await analytics.query(literal(`select count() as n from ${table}`), COUNT_ROW)
      const found = counted?.n ?? 0
      if (found > rows || (found === 0 && rows > 0 && table !== EXPIRING_TABLE)) {
        throw new BackupError('failed', `The table ${table} has ${found} rows, and the manifest states ${rows}.`)
      }
    }
  } finally {
    await analytics.close()
  }
}

const firstLine = (error: unknown) => String(error instanceof Error ? error.message : error).split('\n')[0]
