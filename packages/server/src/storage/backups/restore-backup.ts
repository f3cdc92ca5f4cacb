import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { openChdb } from '../analytics/chdb.ts'
import { NEWEST_VERSION as analyticsVersion } from '../analytics/migrate.ts'
import { literal, sql } from '../analytics/sql.ts'
import type { Blobs } from '../blobs/port.ts'
import { lockDataDir } from '../data-dir/lock-data-dir.ts'
import { NEWEST_VERSION as relationalVersion } from '../relational/migrate.ts'
import { openPglite } from '../relational/pglite.ts'
import { ANY_ROW, COUNT_ROW, columns, text } from '../rows.ts'
import { uploadBlobs } from './copy-blobs.ts'
import { countRelationalRows } from './copy-stores.ts'
import { STORES } from './create-backup.ts'
import {
  BackupError,
  copyBackup,
  hashFile,
  inParallel,
  listTree,
  syncPath,
  toBackupError,
  unlessGone,
} from './files.ts'
import { type Manifest, readManifest } from './manifest.ts'

/** A data directory may contain this before a restore: the lock of this process. */
const LOCK_FILE = /^touchstone\.lock/

/**
 * Makes a data directory from a backup. No server may be running on it. An interrupted restore leaves a directory that
 * the server refuses to start on, and that a repeated restore replaces.
 *
 * @param report  called with each step
 * @param blobs   the object store to put blobs into; @default files in the data directory
 * @throws BackupError when the directory is not empty, or the backup is damaged or of another version
 */
export async function restoreBackup(
  backup: string,
  dataDir: string,
  report: (message: string) => void = () => {},
  blobs?: Pick<Blobs, 'put' | 'open'>,
): Promise<Manifest> {
  const manifest = await readManifest(backup)
  assertKnownMigrations(backup, manifest)
  if (`${resolve(dataDir)}/`.startsWith(`${resolve(backup)}/`)) {
    throw new BackupError('failed', `${dataDir} is inside the backup. Restore into another directory.`)
  }
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await assertEmpty(dataDir)
    const unlock = await lockDataDir(dataDir)
    try {
      await fill(backup, dataDir, manifest, report, blobs)
    } finally {
      unlock()
    }
  } catch (error) {
    throw toBackupError(error, dataDir)
  }
  return manifest
}

async function fill(
  backup: string,
  dataDir: string,
  manifest: Manifest,
  report: (message: string) => void,
  blobs: Pick<Blobs, 'put' | 'open'> | undefined,
): Promise<void> {
  const marker = join(dataDir, RESTORING_FILE)
  await writeFile(marker, `${resolve(backup)}\n`, { mode: 0o600, flush: true })
  await syncPath(dataDir)
  for (const store of STORES) await rm(join(dataDir, store), { recursive: true, force: true })
  report(`Copying ${manifest.files.length} files (${Math.ceil(manifest.bytes / 1024 / 1024)} MiB) to ${dataDir}`)
  await copyBackup(backup, dataDir, manifest, STORES)
  report('Checking what was copied')
  await assertChecksums(dataDir, manifest)
  if (blobs !== undefined) {
    report(`Putting ${manifest.blobs.count} attachments into the object store`)
    await uploadBlobs(join(dataDir, 'blobs'), blobs)
  }
  const { files, directories } = await listTree(dataDir)
  await inParallel([...files, ...directories], (path) => syncPath(join(dataDir, path)))
  await rm(marker)
  await syncPath(dataDir)
}

async function assertEmpty(dataDir: string): Promise<void> {
  const entries = (await readdir(dataDir).catch(unlessGone)) ?? []
  if (entries.includes(RESTORING_FILE)) return
  const found = entries.filter((name) => !LOCK_FILE.test(name))
  if (found.length === 0) return
  throw new BackupError(
    'not_empty',
    `${dataDir} is not empty (${found.slice(0, 3).join(', ')}). Restore into an empty directory, then start the server on it.`,
  )
}

/** Present while a restore fills a data directory. */
const RESTORING_FILE = 'touchstone.restoring'

/** @throws Error when a restore into the directory was interrupted */
export function assertRestored(dataDir: string): void {
  if (!existsSync(join(dataDir, RESTORING_FILE))) return
  throw new Error(
    `A restore into ${dataDir} is running or was interrupted, so its data is not complete. Run \`touchstone backup restore\` again.`,
  )
}

const MAX_NAMED = 5

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
  const isNewer = relational.migration > relationalVersion || analytics.migration > analyticsVersion
  if (!isNewer) return
  throw new BackupError(
    'failed',
    `${backup} was made by a newer Touchstone (${touchstone_version}). Install that version, or a newer one.`,
  )
}

/** @throws BackupError that names missing, cut or changed files */
async function assertChecksums(backup: string, { files }: Manifest): Promise<void> {
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
    if (expected.migration !== relationalVersion) return // a migration may have changed rows
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
      if (found > rows || (found === 0 && rows > 0)) {
        throw new BackupError('failed', `The table ${table} has ${found} rows, and the manifest states ${rows}.`)
      }
    }
  } finally {
    await analytics.close()
  }
}

const firstLine = (error: unknown) => String(error instanceof Error ? error.message : error).split('\n')[0]
