import { randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError, type Backup, contract } from '@touchstone/contract'
import { VERSION } from '../../../config.ts'
import type { Deps } from '../../../deps.ts'
import { type App, serve } from '../../../http/serve.ts'
import {
  BackupError,
  type BackupSource,
  createBackup,
  isBeingWritten,
  type Manifest,
  readManifest,
  removeFrozenTables,
} from '../../../storage/backups/index.ts'

export type BackupDeps = Pick<Deps, 'config' | 'relational' | 'analytics' | 'blobs' | 'clock' | 'log'>

/** Number of failed backups of this process that stay listed. */
const FAILURES_KEPT = 20

interface BackupTarget {
  /** Folder of all backups. */
  readonly directory: string
}

/** The stores to back up; undefined when there is no folder for backups. */
function toBackupSource(deps: BackupDeps): (BackupSource & BackupTarget) | undefined {
  const { config, relational, analytics, blobs, clock } = deps
  if (config.backupDir === undefined) return undefined
  return {
    directory: config.backupDir,
    relational,
    analytics,
    blobs,
    blobDirectory: config.s3 === undefined ? join(config.dataDir, 'blobs') : undefined,
    touchstoneVersion: VERSION,
    clock,
  }
}

const NO_DIRECTORY =
  'This server has no backup directory. Set TOUCHSTONE_BACKUP_DIR (or --backup-dir) to a folder outside its data directory and restart it.'

const IS_RUNNING = 'Another backup is running. Wait until it has finished.'

/** Whether other processes of the same installation may write to the backup directory. */
const hasOtherProcesses = ({ relational }: Pick<BackupDeps, 'relational'>) => relational.engine === 'postgres'

/** Makes backups of this process, one at a time. */
export class BackupMaker {
  readonly #deps: BackupDeps
  /** Running and failed backups; complete ones are read from the disk. */
  readonly #backups = new Map<string, Backup>()
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined

  constructor(deps: BackupDeps) {
    this.#deps = deps
  }

  /** Running and failed backups. */
  list(): Backup[] {
    return [...this.#backups.values()]
  }

  ids(): ReadonlySet<string> {
    return new Set(this.#backups.keys())
  }

  /** @throws ApiError CONFLICT while another backup is running, INVALID_REQUEST when this server cannot make backups */
  async start(): Promise<Backup> {
    const source = toBackupSource(this.#deps)
    if (source === undefined) throw new ApiError('INVALID_REQUEST', NO_DIRECTORY)
    const listed = hasOtherProcesses(this.#deps) ? await listBackups(source.directory, this.ids(), true) : []
    if (this.#running !== undefined || listed.some(({ status }) => status === 'running')) {
      throw new ApiError('CONFLICT', IS_RUNNING)
    }
    const { id, startedAt } = newBackupId(this.#deps.clock())
    const backup = emptyBackup(id, join(source.directory, id), startedAt)
    this.#backups.set(id, backup)
    this.#running = this.#make(backup, source).finally(() => {
      this.#running = undefined
    })
    return backup
  }

  /** Stops a running backup and removes its copied files. */
  async close(): Promise<void> {
    this.#stopping.abort(new BackupError('failed', 'The server was stopped.'))
    await this.#running
  }

  async #make(backup: Backup, { directory, ...source }: BackupSource & BackupTarget): Promise<void> {
    const { log } = this.#deps
    try {
      await removeInterrupted(directory, hasOtherProcesses(this.#deps))
      const earlier = await findNewestComplete(directory)
      const manifest = await createBackup(source, { directory, name: backup.id, earlier }, (progress) => {
        this.#stopping.signal.throwIfAborted()
        const { phase, bytesDone, bytesTotal } = progress
        this.#backups.set(backup.id, { ...backup, phase, bytes_done: bytesDone, bytes_total: bytesTotal })
      })
      this.#backups.delete(backup.id)
      log.info({ backup: presentComplete(backup, manifest) }, 'backup complete')
    } catch (error) {
      log.error({ err: error, backup: backup.id }, 'backup failed')
      const reason =
        error instanceof BackupError ? error.message : 'The backup failed. See the log of the server for the reason.'
      this.#backups.set(backup.id, { ...backup, status: 'failed', error: reason })
      for (const id of [...this.#backups.keys()].slice(0, -FAILURES_KEPT)) this.#backups.delete(id)
    }
  }
}

/** Removes incomplete backups of killed processes. */
async function removeInterrupted(directory: string, isShared: boolean): Promise<void> {
  const backups = await listBackups(directory, new Set(), isShared).catch(() => [])
  for (const { status, path } of backups) {
    if (status === 'interrupted') await rm(path, { recursive: true, force: true })
  }
}

const PARTIAL = '.partial'

/**
 * Backups in a folder; none when the folder does not exist.
 *
 * @param except  ids to leave out
 * @param isShared  other processes may be making backups in the folder
 */
export async function listBackups(
  directory: string,
  except: ReadonlySet<string>,
  isShared: boolean,
): Promise<Backup[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [] // creating a backup reports the problem
    throw error
  })
  const backups: Backup[] = []
  for (const name of names) {
    const id = name.endsWith(PARTIAL) ? name.slice(0, -PARTIAL.length) : name
    const startedAt = parseBackupId(id)
    if (startedAt === undefined || except.has(id)) continue
    const path = join(directory, name)
    const backup = emptyBackup(id, path, startedAt)
    if (name === id) backups.push(await readComplete(backup))
    else backups.push(isShared && (await isBeingWritten(path)) ? backup : { ...backup, status: 'interrupted' })
  }
  return backups
}

/** The name of the newest complete backup in a folder. */
async function findNewestComplete(directory: string): Promise<string | undefined> {
  const complete = (await listBackups(directory, new Set(), false)).filter(({ status }) => status === 'complete')
  return complete
    .map(({ id }) => id)
    .toSorted()
    .at(-1)
}

function emptyBackup(id: string, path: string, startedAt: string): Backup {
  const unknown = { phase: null, bytes_done: null, bytes_total: null, point_in_time: null, pause_ms: null }
  return {
    id,
    status: 'running',
    path,
    started_at: startedAt,
    ...unknown,
    bytes: null,
    touchstone_version: null,
    error: null,
  }
}

function presentComplete(backup: Backup, manifest: Omit<Manifest, 'files' | 'directories' | 'links'>): Backup {
  const { point_in_time, pause_ms, bytes, touchstone_version } = manifest
  return {
    ...backup,
    status: 'complete',
    phase: null,
    bytes_done: null,
    bytes_total: null,
    point_in_time,
    pause_ms,
    bytes,
    touchstone_version,
  }
}

async function readComplete(backup: Backup): Promise<Backup> {
  try {
    return presentComplete(backup, await readManifest(backup.path))
  } catch (error) {
    return { ...backup, status: 'failed', error: (error as Error).message }
  }
}

/** The name of a new backup, sorted by time: `touchstone-20261122T074010Z-5f3a9c`. */
export function newBackupId(nowMs: number): { readonly id: string; readonly startedAt: string } {
  const startedAt = new Date(nowMs).toISOString().replace(/\.\d+/, '.000')
  const time = startedAt.replaceAll(/[-:]|\.\d+/g, '')
  return { id: `touchstone-${time}-${randomBytes(3).toString('hex')}`, startedAt }
}

/** Start time of the backup with this name, in ISO 8601; undefined for other names. */
export function parseBackupId(id: string): string | undefined {
  const time = /^touchstone-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[0-9a-f]{6}$/.exec(id)
  if (time === null) return undefined
  const [, year, month, day, hour, minute, second] = time
  return `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
}

/** Mounts the routes, and removes the frozen tables of interrupted backups from the analytics store. */
export async function backupRoutes(app: App, deps: BackupDeps): Promise<void> {
  const { backups } = contract
  const { config } = deps
  const maker = new BackupMaker(deps)
  app.onClose(() => maker.close())
  if (deps.analytics.snapshots !== undefined) await removeFrozenTables(deps.analytics.snapshots)

  const list = async () => {
    // Read once: a backup that completes meanwhile is on the disk and no longer among these.
    const own = maker.list()
    const ids = new Set(own.map(({ id }) => id))
    const made = config.backupDir === undefined ? [] : await listBackups(config.backupDir, ids, hasOtherProcesses(deps))
    return [...own, ...made].toSorted((a, b) => (a.started_at < b.started_at ? 1 : -1))
  }

  serve(app, backups.list, async () => {
    const isUnavailable = config.backupDir === undefined
    return {
      directory: config.backupDir ?? null,
      unavailable: isUnavailable ? NO_DIRECTORY : null,
      unavailable_reason: isUnavailable ? 'no_directory' : null,
      backups: await list(),
    }
  })

  serve(app, backups.create, async () => maker.start())

  serve(app, backups.read, async ({ params }) => {
    const found = (await list()).find(({ id }) => id === params.backup_id)
    if (found === undefined) throw new ApiError('NOT_FOUND', 'Backup not found')
    return found
  })
}
