import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { lockDataDir } from '../data-dir/lock-data-dir.ts'
import { BackupError, toBackupError } from './backup-error.ts'
import { STORES } from './create-backup.ts'
import { copyBackup, inParallel, listTree, syncPath, unlessGone } from './files.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { assertChecksums, assertKnownMigrations } from './verify-backup.ts'

/** What a data directory may hold before a restore: an interrupted restore, and the lock of this process. */
const LOCK_FILE = /^touchstone\.lock/

/**
 * Makes a data directory from a backup. No server may be running on it. A restore that is killed leaves a directory that
 * the server refuses to start on, and that a repeated restore replaces.
 *
 * @param say  told what is being done
 * @throws BackupError when the directory is not empty, or the backup is damaged or of another version
 */
export async function restoreBackup(
  backup: string,
  dataDir: string,
  say: (sentence: string) => void = () => {},
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
      await fill(backup, dataDir, manifest, say)
    } finally {
      unlock()
    }
  } catch (error) {
    throw toBackupError(error, dataDir)
  }
  return manifest
}

async function fill(backup: string, dataDir: string, manifest: Manifest, say: (sentence: string) => void) {
  const marker = join(dataDir, RESTORING_FILE)
  await writeFile(marker, `${resolve(backup)}\n`, { mode: 0o600, flush: true })
  await syncPath(dataDir)
  for (const store of STORES) await rm(join(dataDir, store), { recursive: true, force: true })
  say(`Copying ${manifest.files.length} files (${Math.ceil(manifest.bytes / 1024 / 1024)} MiB) to ${dataDir}`)
  await copyBackup(backup, dataDir, manifest, STORES)
  say('Checking what was copied')
  await assertChecksums(dataDir, manifest)
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
