import { mkdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { NEWEST_VERSION as analyticsVersion } from '../analytics/migrate.ts'
import type { AnalyticsSnapshots } from '../analytics/port.ts'
import type { Blobs } from '../blobs/port.ts'
import { NEWEST_VERSION as relationalVersion } from '../relational/migrate.ts'
import type { Relational } from '../relational/port.ts'
import { copyBlobs, downloadBlobs, sizeOfBlobs, toChecksum } from './copy-blobs.ts'
import { copyAnalytics, countRelationalRows, RelationalCopy } from './copy-stores.ts'
import { BackupError, hashFile, inParallel, listTree, sizeOfFiles, syncPath, toBackupError } from './files.ts'
import { type Manifest, writeManifest } from './manifest.ts'

/** Folders of a backup, as below a data directory. */
export const STORES = ['relational', 'analytics', 'blobs'] as const

/** Frozen tables below `shadow/` whose names begin with this belong to a backup. */
const FROZEN = 'touchstone_backup_'

export type BackupPhase = 'relational' | 'analytics' | 'blobs' | 'checksums'

export interface BackupSource {
  readonly relational: Relational & { readonly directory: string }
  readonly analytics: AnalyticsSnapshots
  readonly blobs: Pick<Blobs, 'holdRemovals' | 'list' | 'open'>
  /** Folder of the blobs; undefined where they are in an object store. */
  readonly blobDirectory: string | undefined
  readonly touchstoneVersion: string
  readonly clock: () => number
}

export interface BackupTarget {
  /** The folder of all backups. */
  readonly directory: string
  /** Name of the new backup in the folder. */
  readonly name: string
  /** Name of an earlier backup, whose blobs are linked and not copied. */
  readonly earlier?: string | undefined
}

/**
 * Called with the progress: bytes of all files, each once when copied and once when read for its checksum. An error
 * that it throws ends the backup.
 */
export type OnProgress = (progress: { phase: BackupPhase; bytesDone: number; bytesTotal: number }) => void

/**
 * Copies the embedded stores and blobs while they are written to. The backup contains everything that was acknowledged
 * before the point in time. Writes wait while tables are frozen and the changes in the relational store since its first
 * copy are copied; see `pause_ms` of the manifest.
 *
 * The backup is written as `<name>.partial` and renamed when it is complete and on the disk.
 *
 * @throws BackupError with the reason and the remedy
 */
export async function createBackup(
  source: BackupSource,
  target: BackupTarget,
  onProgress: OnProgress = () => {},
): Promise<Manifest> {
  const partial = join(target.directory, `${target.name}.partial`)
  const allowRemovals = await source.blobs.holdRemovals()
  const frozen = `${FROZEN}${target.name.replaceAll('-', '_')}`
  try {
    await makeBackupDirectory(target.directory)
    const tell = await startProgress(source, target.directory, onProgress)
    await mkdir(partial, { mode: 0o700 })
    const copied = await copyStores(source, target, { partial, frozen, tell })
    const listed = await listWithChecksums(partial, copied.linkedBlobs, tell)
    const blobs = listed.files.filter(({ path }) => path.startsWith('blobs/'))
    const manifest: Manifest = {
      format: 1,
      touchstone_version: source.touchstoneVersion,
      point_in_time: copied.pointInTime,
      pause_ms: copied.pauseMs,
      relational: { migration: relationalVersion, rows: copied.relationalRows },
      analytics: { migration: analyticsVersion, rows: copied.analyticsRows },
      blobs: { count: blobs.length, bytes: sum(blobs), store: source.blobDirectory === undefined ? 's3' : 'disk' },
      bytes: sum(listed.files),
      ...listed,
    }
    await writeManifest(partial, manifest)
    await syncPath(partial)
    await rename(partial, join(target.directory, target.name))
    await syncPath(target.directory)
    return manifest
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => {})
    throw toBackupError(error, target.directory)
  } finally {
    allowRemovals()
    await rm(join(source.analytics.directory, 'shadow', frozen), { recursive: true, force: true })
  }
}

async function makeBackupDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
  } catch (error) {
    // With `recursive`, a read-only file system is reported as a missing folder; without it, the system returns its
    // code.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await mkdir(directory, { mode: 0o700 })
  }
}

/** Removes frozen tables of a killed server; they take disk space. */
export async function removeFrozenTables(analytics: Pick<AnalyticsSnapshots, 'directory'>): Promise<void> {
  const shadow = join(analytics.directory, 'shadow')
  const { directories } = await listTree(shadow)
  for (const path of directories.filter((one) => one.startsWith(FROZEN) && !one.includes('/'))) {
    await rm(join(shadow, path), { recursive: true, force: true })
  }
}

type Tell = (phase: BackupPhase, bytes: number) => void

/** @throws BackupError when the disk has too little space */
async function startProgress(source: BackupSource, directory: string, onProgress: OnProgress): Promise<Tell> {
  const { blobDirectory } = source
  const folders = [source.relational.directory, source.analytics.directory, blobDirectory ?? []].flat()
  let bytes = blobDirectory === undefined ? await sizeOfBlobs(source.blobs) : 0
  for (const folder of folders) bytes += await sizeOfFiles(folder, (await listTree(folder)).files)
  const { bavail, bsize } = await statfs(directory)
  if (bavail * bsize < bytes) {
    throw new BackupError(
      'failed',
      `A backup needs up to ${mebibytes(bytes)} MiB, and the disk of ${directory} has ${mebibytes(bavail * bsize)} MiB. Remove old backups or use another disk.`,
    )
  }
  const total = bytes * 2
  let done = 0
  return (phase, more) => {
    done += more
    onProgress({ phase, bytesDone: done, bytesTotal: Math.max(total, done) })
  }
}

interface Copying {
  readonly partial: string
  readonly frozen: string
  readonly tell: Tell
}

async function copyStores(source: BackupSource, target: BackupTarget, { partial, frozen, tell }: Copying) {
  const { relational, analytics, clock } = source
  const copy = new RelationalCopy(relational.directory, join(partial, 'relational'))
  // Changes that are already in the files need not be copied while writes wait.
  await relational.runScript('checkpoint')
  await copy.copyAll((bytes) => tell('relational', bytes))

  const pause = await pauseWrites({ relational, analytics, clock }, frozen, async (tx) => {
    const relationalRows = await countRelationalRows(tx)
    await copy.copyChanges()
    return { relationalRows }
  })

  const analyticsRows = await copyAnalytics(analytics.directory, frozen, join(partial, 'analytics'), (bytes) =>
    tell('analytics', bytes),
  )
  const earlier = target.earlier === undefined ? undefined : join(target.directory, target.earlier, 'blobs')
  const blobsTo = join(partial, 'blobs')
  const onBlob = (bytes: number) => tell('blobs', bytes)
  const linkedBlobs =
    source.blobDirectory === undefined
      ? await downloadBlobs(source.blobs, blobsTo, earlier, onBlob)
      : await copyBlobs(source.blobDirectory, blobsTo, earlier, onBlob)
  return { ...pause, analyticsRows, linkedBlobs }
}

/**
 * Runs `work` while writes to both stores wait. The transaction comes first: it waits for other transactions, which may
 * wait for an insert; an insert never waits for the relational store.
 */
async function pauseWrites<Result>(
  { relational, analytics, clock }: Pick<BackupSource, 'relational' | 'analytics' | 'clock'>,
  frozen: string,
  work: (tx: Parameters<Parameters<Relational['transaction']>[0]>[0]) => Promise<Result>,
): Promise<Result & { pointInTime: string; pauseMs: number }> {
  let began = 0
  let pointInTime = ''
  const result = await relational.transaction(async (tx) => {
    // A transaction begins with its first statement.
    await tx.execute(sql`select 1`)
    began = performance.now()
    // Before the tables are frozen: a deletion that ends meanwhile is acknowledged after this time.
    pointInTime = new Date(clock()).toISOString()
    return analytics.freeze(frozen, () => work(tx))
  })
  return { ...result, pointInTime, pauseMs: Math.round(performance.now() - began) }
}

async function listWithChecksums(partial: string, linkedBlobs: ReadonlySet<string>, tell: Tell) {
  const tree = await listTree(partial)
  const files: Manifest['files'] = []
  await inParallel(tree.files, async (path) => {
    const blob = path.startsWith('blobs/') ? path.slice('blobs/'.length) : undefined
    const isLinked = blob !== undefined && linkedBlobs.has(blob)
    const full = join(partial, path)
    const content = isLinked
      ? { bytes: (await stat(full)).size, sha256: toChecksum(path) }
      : await hashFile(full).finally(() => syncPath(full))
    files.push({ path, ...content })
    tell('checksums', content.bytes)
  })
  for (const directory of tree.directories) await syncPath(join(partial, directory))
  files.sort((a, b) => (a.path < b.path ? -1 : 1))
  return { files, directories: tree.directories, links: tree.links }
}

const sum = (files: readonly { readonly bytes: number }[]) => files.reduce((total, { bytes }) => total + bytes, 0)
const mebibytes = (bytes: number) => Math.ceil(bytes / 1024 / 1024)
