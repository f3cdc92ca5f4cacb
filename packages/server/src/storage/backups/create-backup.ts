import { mkdir, rename, rm, stat, statfs, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Analytics } from '../analytics/port.ts'
import type { Blobs } from '../blobs/port.ts'
import type { Relational } from '../relational/port.ts'
import type { OnBytes } from '../row-files.ts'
import { copyChdbFiles, copyPgliteFiles } from './copy-as-files.ts'
import { copyAnalyticsRows, copyRelationalRows } from './copy-as-rows.ts'
import { copyBlobs, downloadBlobs, sizeOfBlobs, toChecksum } from './copy-blobs.ts'
import {
  BackupError,
  hashFile,
  inParallel,
  listTree,
  sizeOfFiles,
  syncPath,
  toBackupError,
  unlessGone,
} from './files.ts'
import { type Manifest, writeManifest } from './manifest.ts'
import type { AnalyticsStoreCopy, RelationalStoreCopy } from './store-copy.ts'

/** Folders of a backup, as below a data directory. */
export const STORES = ['relational', 'analytics', 'blobs'] as const

export type BackupPhase = 'relational' | 'analytics' | 'blobs' | 'checksums'

export interface BackupSource {
  readonly relational: Relational
  readonly analytics: Analytics
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
 * Copies the stores and blobs while they are written to. The backup contains everything that was acknowledged before the
 * point in time. Embedded stores are copied as files; writes wait while tables are frozen and the changes in the
 * relational store since its first copy are copied, see `pause_ms` of the manifest. Servers are copied as rows, and
 * nothing waits: the rows of the column store are those of a moment before the relational store's, so that each run has
 * its project.
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
  const progress = new Progress(onProgress)
  const copies = openCopies(source, target.name, partial, progress)
  const beats = setInterval(() => void beat(partial), BEAT_MS)
  try {
    await makeBackupDirectory(target.directory)
    progress.expect(await assertSpace(source, copies, target.directory))
    await mkdir(partial, { mode: 0o700 })
    const stores = await copyStores(source, copies)
    const linkedBlobs = await copyAllBlobs(source, target, partial, (bytes) => progress.tell('blobs', bytes))
    const listed = await listWithChecksums(partial, linkedBlobs, progress)
    const blobs = listed.files.filter(({ path }) => path.startsWith('blobs/'))
    const hasRows = stores.relational.as_rows !== undefined || stores.analytics.as_rows !== undefined
    const manifest: Manifest = {
      format: hasRows ? 2 : 1,
      touchstone_version: source.touchstoneVersion,
      ...stores,
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
    await closeCopies(copies) // before their files are removed: they may still be writing
    await rm(partial, { recursive: true, force: true }).catch(() => {})
    throw toBackupError(error, target.directory)
  } finally {
    clearInterval(beats)
    allowRemovals()
    await closeCopies(copies)
  }
}

async function closeCopies({ relational, analytics }: StoreCopies): Promise<void> {
  await analytics.close()
  await relational.close()
}

const BEAT_MS = 5_000

/**
 * A folder whose time is older than this belongs to a process that has ended. Clocks of machines differ, and network file
 * systems keep times for a minute.
 */
const ENDED_AFTER_MS = 600_000

/** Shows other processes that this one is still writing. */
async function beat(partial: string): Promise<void> {
  const now = new Date()
  await utimes(partial, now, now).catch(() => undefined) // it has another name by now
}

/** Whether another process is still writing a partial backup. */
export async function isBeingWritten(partial: string): Promise<boolean> {
  const found = await stat(partial).catch(unlessGone)
  return found !== undefined && found.mtimeMs > Date.now() - ENDED_AFTER_MS
}

interface StoreCopies {
  readonly relational: RelationalStoreCopy
  readonly analytics: AnalyticsStoreCopy
}

function openCopies(source: BackupSource, name: string, partial: string, progress: Progress): StoreCopies {
  const { relational, analytics } = source
  const relationalTo = join(partial, 'relational')
  const analyticsTo = join(partial, 'analytics')
  const onRelational = (bytes: number) => progress.tell('relational', bytes)
  const onAnalytics = (bytes: number) => progress.tell('analytics', bytes)
  return {
    relational:
      relational.directory === undefined
        ? copyRelationalRows(relational, relationalTo, onRelational)
        : copyPgliteFiles({ ...relational, directory: relational.directory }, relationalTo, onRelational),
    analytics:
      analytics.snapshots === undefined
        ? copyAnalyticsRows(analytics, analyticsTo, onAnalytics)
        : copyChdbFiles(analytics.snapshots, name, analyticsTo, onAnalytics),
  }
}

/**
 * The relational store is held first: it waits for transactions that may wait for an insert; an insert never waits for the
 * relational store.
 */
async function copyStores({ clock }: Pick<BackupSource, 'clock'>, { relational, analytics }: StoreCopies) {
  await relational.begin()
  await analytics.begin()
  let began = 0
  let point_in_time = ''
  await relational.hold(async () => {
    began = performance.now()
    // Before the state is fixed: a deletion that ends meanwhile is acknowledged after this time.
    point_in_time = new Date(clock()).toISOString()
    await analytics.hold(async () => {
      await analytics.fix()
      await relational.fix()
    })
  })
  const heldMs = Math.round(performance.now() - began)
  // Both at once: what was fixed is held by a transaction and by open requests.
  const [relationalPart, analyticsPart] = await Promise.all([relational.finish(), analytics.finish()])
  const isHeld = relationalPart.as_rows === undefined || analyticsPart.as_rows === undefined
  return { point_in_time, pause_ms: isHeld ? heldMs : 0, relational: relationalPart, analytics: analyticsPart }
}

function copyAllBlobs(source: BackupSource, target: BackupTarget, partial: string, onBytes: OnBytes) {
  const earlier = target.earlier === undefined ? undefined : join(target.directory, target.earlier, 'blobs')
  const to = join(partial, 'blobs')
  return source.blobDirectory === undefined
    ? downloadBlobs(source.blobs, to, earlier, onBytes)
    : copyBlobs(source.blobDirectory, to, earlier, onBytes)
}

async function makeBackupDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
  } catch (error) {
    // With `recursive`, a read-only file system is reported as a missing folder; without it, the system returns its
    // code.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await makeBackupDirectory(dirname(directory))
    await mkdir(directory, { mode: 0o700 })
  }
}

/** Counts the bytes of all files, each once when copied and once when read for its checksum. */
class Progress {
  #total = 0
  #done = 0

  constructor(private readonly onProgress: OnProgress) {}

  expect(bytes: number): void {
    this.#total = bytes * 2
  }

  tell(phase: BackupPhase, bytes: number): void {
    this.#done += bytes
    this.onProgress({ phase, bytesDone: this.#done, bytesTotal: Math.max(this.#total, this.#done) })
  }
}

/** @throws BackupError when the disk has too little space @returns the bytes that the backup needs at most */
async function assertSpace(source: BackupSource, copies: StoreCopies, directory: string): Promise<number> {
  const { blobDirectory } = source
  const blobs =
    blobDirectory === undefined
      ? await sizeOfBlobs(source.blobs)
      : await sizeOfFiles(blobDirectory, (await listTree(blobDirectory)).files)
  const bytes = blobs + (await copies.relational.size()) + (await copies.analytics.size())
  const { bavail, bsize } = await statfs(directory)
  if (bavail * bsize >= bytes) return bytes
  throw new BackupError(
    'failed',
    `A backup needs up to ${mebibytes(bytes)} MiB, and the disk of ${directory} has ${mebibytes(bavail * bsize)} MiB. Remove old backups or use another disk.`,
  )
}

async function listWithChecksums(partial: string, linkedBlobs: ReadonlySet<string>, progress: Progress) {
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
    progress.tell('checksums', content.bytes)
  })
  for (const directory of tree.directories) await syncPath(join(partial, directory))
  files.sort((a, b) => (a.path < b.path ? -1 : 1))
  return { files, directories: tree.directories, links: tree.links }
}

const sum = (files: readonly { readonly bytes: number }[]) => files.reduce((total, { bytes }) => total + bytes, 0)
const mebibytes = (bytes: number) => Math.ceil(bytes / 1024 / 1024)
