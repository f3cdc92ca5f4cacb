import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openChdb } from '../analytics/chdb.ts'
import { migrations as analyticsMigrations } from '../analytics/migrations/index.ts'
import { literal, sql } from '../analytics/sql.ts'
import { migrations as relationalMigrations } from '../relational/migrations/index.ts'
import { openPglite } from '../relational/pglite.ts'
import { BackupError } from './backup-error.ts'
import { countRelationalRows } from './copy-relational.ts'
import { copyBackup, hashFile, inParallel, unlessGone } from './files.ts'
import { type Manifest, readManifest } from './manifest.ts'

const MAX_NAMED = 5

/**
 * Reads every file of a backup and opens both stores from a scratch copy.
 *
 * @param scratchRoot  where the copy of the stores is made and removed. @default the system's temporary folder
 * @param say          told what is being done
 * @returns the manifest of a backup that can be restored
 * @throws BackupError naming what is wrong
 */
export async function verifyBackup(
  backup: string,
  say: (sentence: string) => void = () => {},
  scratchRoot: string = tmpdir(),
): Promise<Manifest> {
  const manifest = await readManifest(backup)
  assertKnownMigrations(backup, manifest)
  say(`Reading ${manifest.files.length} files (${Math.ceil(manifest.bytes / 1024 / 1024)} MiB)`)
  await assertChecksums(backup, manifest)
  const scratch = await mkdtemp(join(scratchRoot, 'touchstone-verify-'))
  try {
    say(`Opening both stores from a copy in ${scratch}`)
    await copyBackup(backup, scratch, manifest, ['relational', 'analytics'])
    await assertRelational(join(scratch, 'relational'), manifest)
    await assertAnalytics(join(scratch, 'analytics'), manifest)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  return manifest
}

/** @throws BackupError when the data is of a newer version than this program */
export function assertKnownMigrations(backup: string, { relational, analytics, touchstone_version }: Manifest): void {
  const isNewer =
    relational.migration > relationalMigrations.at(-1)!.version ||
    analytics.migration > analyticsMigrations.at(-1)!.version
  if (!isNewer) return
  throw new BackupError(
    'failed',
    `${backup} was made by a newer Touchstone (${touchstone_version}). Install that version, or a newer one.`,
  )
}

/** @throws BackupError naming files that are missing, cut or changed */
export async function assertChecksums(backup: string, { files }: Manifest): Promise<void> {
  const problems: string[] = []
  await inParallel(files, async ({ path, bytes, sha256 }) => {
    const full = join(backup, path)
    const found = await stat(full).catch(unlessGone)
    if (found === undefined) problems.push(`${path} is missing`)
    else if (found.size !== bytes) problems.push(`${path} has ${found.size} bytes instead of ${bytes}`)
    else if ((await hashFile(full)).sha256 !== sha256) problems.push(`${path} was changed: its checksum does not match`)
  })
  if (problems.length === 0) return
  const named = problems.toSorted().slice(0, MAX_NAMED).join('; ')
  const more = problems.length > MAX_NAMED ? ` (and ${problems.length - MAX_NAMED} more)` : ''
  throw new BackupError('failed', `${backup} is damaged: ${named}${more}. Use another backup.`)
}

async function assertRelational(directory: string, { relational: expected }: Manifest): Promise<void> {
  const relational = await openPglite(directory).catch((error) => {
    throw new BackupError('failed', `The relational store of the backup does not open: ${firstLine(error)}`, error)
  })
  try {
    if (expected.migration !== relationalMigrations.at(-1)!.version) return // a migration may have changed rows
    const found = await relational.transaction(countRelationalRows)
    const different = Object.keys(expected.rows).filter((table) => found[table] !== expected.rows[table])
    if (different.length === 0) return
    const table = different[0]!
    throw new BackupError(
      'failed',
      `The table ${table} has ${found[table] ?? 'no'} rows, and the manifest says ${expected.rows[table]}.`,
    )
  } finally {
    await relational.close()
  }
}

/** The engine may merge versions of a row as soon as it is open, so rows are counted again only where it cannot. */
async function assertAnalytics(directory: string, { analytics: expected }: Manifest): Promise<void> {
  const analytics = await openChdb(directory).catch((error) => {
    throw new BackupError('failed', `The column store of the backup does not open: ${firstLine(error)}`, error)
  })
  try {
    const broken = await analytics.query<{ table: string; name: string }>(
      sql`select table, name from system.detached_parts where database = currentDatabase()`,
    )
    if (broken[0]) throw new BackupError('failed', `Part ${broken[0].name} of ${broken[0].table} cannot be read.`)
    for (const [table, rows] of Object.entries(expected.rows)) {
      await analytics.query(literal(`check table ${table}`)).catch((error) => {
        throw new BackupError('failed', `The table ${table} of the column store is damaged: ${firstLine(error)}`, error)
      })
      const [counted] = await analytics.query<{ rows: string }>(literal(`select count() as rows from ${table}`))
      const found = Number(counted!.rows)
      if (found > rows || (found === 0 && rows > 0)) {
        throw new BackupError('failed', `The table ${table} has ${found} rows, and the manifest says ${rows}.`)
      }
    }
  } finally {
    await analytics.close()
  }
}

const firstLine = (error: unknown) => String(error instanceof Error ? error.message : error).split('\n')[0]
