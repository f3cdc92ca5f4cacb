import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError, type Backup, type BackupObstacle } from '@touchstone/contract'
import { VERSION } from '../../../config.ts'
import type { Deps } from '../../../deps.ts'
import { BackupError, type BackupSource, createBackup } from '../../../storage/backups/index.ts'
import { emptyBackup, findNewestComplete, newBackupId, parseBackupId, presentComplete } from './list-backups.ts'

export type BackupDeps = Pick<Deps, 'config' | 'relational' | 'analytics' | 'blobs' | 'clock' | 'log'>

/** Failed backups of this process that are still listed. */
const FAILURES_KEPT = 20

/** Why this server cannot make backups; undefined when it can. */
export function findObstacle({ config, relational, analytics }: BackupDeps): BackupObstacle | undefined {
  if (relational.directory === undefined) return 'postgres'
  if (analytics.snapshots === undefined) return 'clickhouse'
  return config.backupDir === undefined ? 'no_directory' : undefined
}

/** What is in the way, and what to do. */
export const OBSTACLES: Readonly<Record<BackupObstacle, string>> = {
  postgres:
    'This server keeps its relational data in PostgreSQL. Back that up with pg_dump or your provider, together with ClickHouse or the data directory.',
  clickhouse:
    'This server keeps runs in ClickHouse. Back that up with BACKUP DATABASE or clickhouse-backup, and the data directory while the server is stopped.',
  no_directory:
    'This server has no backup directory. Set TOUCHSTONE_BACKUP_DIR (or --backup-dir) to a folder outside its data directory and restart it.',
}

/** Makes backups of this process, one at a time. */
export class BackupMaker {
  readonly #deps: BackupDeps
  /** Running and failed ones; complete ones are read from the disk. */
  readonly #backups = new Map<string, Backup>()
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined

  constructor(deps: BackupDeps) {
    this.#deps = deps
  }

  /** Backups that the disk does not tell about. */
  list(): Backup[] {
    return [...this.#backups.values()]
  }

  ids(): ReadonlySet<string> {
    return new Set(this.#backups.keys())
  }

  /** @throws ApiError CONFLICT while another is running, INVALID_REQUEST where none can be made */
  start(): Backup {
    const obstacle = findObstacle(this.#deps)
    if (obstacle !== undefined) throw new ApiError('INVALID_REQUEST', OBSTACLES[obstacle])
    if (this.#running !== undefined) throw new ApiError('CONFLICT', 'A backup is running; wait until it has ended.')
    const id = newBackupId(this.#deps.clock())
    const backup = emptyBackup(id, join(this.#deps.config.backupDir!, id), parseBackupId(id)!)
    this.#backups.set(id, backup)
    this.#running = this.#make(backup).finally(() => {
      this.#running = undefined
    })
    return backup
  }

  /** Ends a backup that is running and removes what it has copied. */
  async close(): Promise<void> {
    this.#stopping.abort(new BackupError('failed', 'The server was stopped.'))
    await this.#running
  }

  async #make(backup: Backup): Promise<void> {
    const { config, log } = this.#deps
    const directory = config.backupDir!
    try {
      await removeInterrupted(directory)
      const earlier = await findNewestComplete(directory)
      const manifest = await createBackup(this.#source(), { directory, name: backup.id, earlier }, (progress) => {
        this.#stopping.signal.throwIfAborted()
        const { phase, bytesDone, bytesTotal } = progress
        this.#backups.set(backup.id, { ...backup, phase, bytes_done: bytesDone, bytes_total: bytesTotal })
      })
      this.#backups.delete(backup.id)
      log.info({ backup: presentComplete(backup, manifest) }, 'backup complete')
    } catch (error) {
      log.error({ err: error, backup: backup.id }, 'backup failed')
      const reason = error instanceof BackupError ? error.message : 'The backup failed; the log of the server says why.'
      this.#backups.set(backup.id, { ...backup, status: 'failed', error: reason })
      for (const id of [...this.#backups.keys()].slice(0, -FAILURES_KEPT)) this.#backups.delete(id)
    }
  }

  #source(): BackupSource {
    const { config, relational, analytics, blobs, clock } = this.#deps
    return {
      relational: { ...relational, directory: relational.directory! },
      analytics: analytics.snapshots!,
      blobs,
      blobDirectory: join(config.dataDir, 'blobs'),
      touchstoneVersion: VERSION,
      clock,
    }
  }
}

/** What a killed server left of its backups. */
async function removeInterrupted(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => [])
  for (const name of names) {
    if (!name.endsWith('.partial') || parseBackupId(name.slice(0, -'.partial'.length)) === undefined) continue
    await rm(join(directory, name), { recursive: true, force: true })
  }
}
