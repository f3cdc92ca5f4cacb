import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Blobs } from '../blobs/port.ts'
import { lockDataDir } from '../data-dir/lock-data-dir.ts'
import { assertChecksums, assertKnownMigrations, assertSizes } from './check-files.ts'
import { uploadBlobs } from './copy-blobs.ts'
import { STORES } from './create-backup.ts'
import { BackupError, copyBackup, inParallel, listTree, syncPath, toBackupError, unlessGone } from './files.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { makeEmbeddedStores } from './restore-folder.ts'
import { fillServers, type MarkedServers, markServers, type StoreServers } from './restore-servers.ts'

/** A data directory may contain this before a restore: the lock of this process. */
const LOCK_FILE = /^touchstone\.lock/

export interface RestoreTarget extends StoreServers {
  /** For every store without a server, and for attachments without an object store. */
  readonly dataDir: string
  /** The object store to put attachments into; @default files in the data directory */
  readonly blobs?: Pick<Blobs, 'put' | 'open'> | undefined
}

/** Whether a restore puts anything into the data directory. */
export const needsDataDir = ({ postgresUrl, clickhouseUrl, blobs }: Omit<RestoreTarget, 'dataDir'>): boolean =>
  postgresUrl === undefined || clickhouseUrl === undefined || blobs === undefined

/**
 * Restores a backup into empty stores that no server uses. An interrupted restore leaves stores that the server refuses
 * to start on, and that a repeated restore replaces.
 *
 * @param report  called with each step
 * @throws BackupError when a store is not empty, or the backup is damaged or of another version
 */
export async function restoreBackup(
  backup: string,
  target: RestoreTarget,
  report: (message: string) => void = () => {},
): Promise<Manifest> {
  const manifest = await readManifest(backup)
  const { dataDir } = target
  assertKnownMigrations(backup, manifest)
  if (`${resolve(dataDir)}/`.startsWith(`${resolve(backup)}/`)) {
    throw new BackupError('failed', `${dataDir} is inside the backup. Restore into another directory.`)
  }
  const servers = await markServers(manifest, target)
  const restoring = { backup, target, manifest, servers, report }
  try {
    if (needsDataDir(target)) await fillDataDir(restoring)
    else await fill(restoring)
  } finally {
    await servers.close()
  }
  return manifest
}

interface Restoring {
  readonly backup: string
  readonly target: RestoreTarget
  readonly manifest: Manifest
  readonly servers: MarkedServers
  readonly report: (message: string) => void
}

/** Restores everything while the data directory is locked and marked as incomplete. */
async function fillDataDir(restoring: Restoring): Promise<void> {
  const { dataDir } = restoring.target
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await assertEmpty(dataDir)
    const unlock = await lockDataDir(dataDir)
    try {
      const marker = join(dataDir, RESTORING_FILE)
      await writeFile(marker, '', { mode: 0o600, flush: true })
      await syncPath(dataDir)
      for (const store of STORES) await rm(join(dataDir, store), { recursive: true, force: true })
      await fill(restoring)
      await rm(marker)
      await syncPath(dataDir)
    } finally {
      unlock()
    }
  } catch (error) {
    throw toBackupError(error, dataDir)
  }
}

/** The servers are the last: with PostgreSQL's commit the restore has ended, but for the marks. */
async function fill({ backup, target, manifest, servers, report }: Restoring): Promise<void> {
  const { dataDir, blobs } = target
  const copied = listCopiedStores(manifest, target)
  const isCopied = ({ path }: { readonly path: string }) => copied.has(path.slice(0, path.indexOf('/')))
  report(`Reading ${manifest.files.length} files (${Math.ceil(manifest.bytes / 1024 / 1024)} MiB)`)
  await assertSizes(backup, manifest)
  await assertChecksums(backup, { files: manifest.files.filter((file) => !isCopied(file)) })
  if (needsDataDir(target)) {
    await makeEmbeddedStores(backup, dataDir, manifest, target)
    if (blobs === undefined) await copyBackup(backup, dataDir, manifest, ['blobs'])
    report('Checking what was copied')
    await assertChecksums(dataDir, { files: manifest.files.filter(isCopied) })
    const { files, directories } = await listTree(dataDir)
    await inParallel([...files, ...directories], (path) => syncPath(join(dataDir, path)))
  }
  if (blobs !== undefined) {
    report(`Putting ${manifest.blobs.count} attachments into the object store`)
    await uploadBlobs(join(backup, 'blobs'), blobs)
  }
  await fillServers(backup, manifest, servers, report)
}

/** The stores whose files are copied; rows are stored, and attachments are put into a bucket. */
function listCopiedStores(manifest: Manifest, { postgresUrl, clickhouseUrl, blobs }: RestoreTarget) {
  const stores = new Set<string>()
  if (postgresUrl === undefined && manifest.relational.as_rows === undefined) stores.add('relational')
  if (clickhouseUrl === undefined && manifest.analytics.as_rows === undefined) stores.add('analytics')
  if (blobs === undefined) stores.add('blobs')
  return stores
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
