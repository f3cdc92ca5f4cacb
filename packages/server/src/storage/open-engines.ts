import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { openChdb } from './analytics/chdb.ts'
import { openClickHouse } from './analytics/clickhouse.ts'
import type { Analytics } from './analytics/port.ts'
import { assertRestored } from './backups/index.ts'
import { openDiskBlobs } from './blobs/disk.ts'
import type { Blobs } from './blobs/port.ts'
import { lockDataDir } from './data-dir/lock-data-dir.ts'
import { closeDataDir, createDataDir } from './data-dir/protect-data-dir.ts'
import { openPglite } from './relational/pglite.ts'
import type { Relational } from './relational/port.ts'
import { openPostgres } from './relational/postgres.ts'

export interface Engines {
  readonly relational: Relational
  readonly analytics: Analytics
  readonly blobs: Blobs
  /** Closes them in reverse and lets go of the data directory. */
  close(): Promise<void>
}

export type EngineConfig = Pick<Config, 'dataDir' | 'postgresUrl' | 'clickhouseUrl'> &
  Partial<Pick<Config, 'dataDirWaitSeconds' | 'memory'>>

/**
 * Opens the stores, embedded ones below the data directory, and migrates them.
 *
 * @throws Error when another process holds the data directory, or the data is of a newer version
 */
export async function openEngines(config: EngineConfig, log: Logger): Promise<Engines> {
  const closers: (() => Promise<void> | void)[] = []
  const close = async () => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne()
  }
  try {
    assertRestored(config.dataDir)
    createDataDir(config.dataDir)
    // Blobs may lie on a disk that several servers share; the embedded engines belong to one process.
    if (isEmbedded(config)) closers.push(await lockForEngines(config, log))
    closeDataDir(config.dataDir, log)
    const relational = await openRelational(config, log)
    closers.push(() => relational.close())
    const analytics = await openAnalytics(config)
    closers.push(() => analytics.close())
    const blobs = await openDiskBlobs(join(config.dataDir, 'blobs'))
    closers.push(() => blobs.close())
    return { relational, analytics, blobs, close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Takes the lock of the data directory, waiting as long as the settings allow.
 *
 * @returns the function that releases it
 * @throws DataDirLockError when another process holds it, or when the file system cannot lock
 */
export function lockForEngines(config: EngineConfig, log: Logger): Promise<() => void> {
  return lockDataDir(config.dataDir, {
    waitMs: (config.dataDirWaitSeconds ?? 0) * 1000,
    onWait: (message) => log.warn({ dataDir: config.dataDir }, message),
  })
}

export function openRelational(config: EngineConfig, log: Logger): Promise<Relational> {
  if (config.postgresUrl === undefined) {
    return openPglite(join(config.dataDir, 'relational'), config.memory?.relationalBufferBytes)
  }
  return openPostgres(config.postgresUrl, (error) => log.error({ err: error }, 'a Postgres connection broke'))
}

export function isEmbedded(config: EngineConfig): boolean {
  return config.postgresUrl === undefined || config.clickhouseUrl === undefined
}

function openAnalytics(config: EngineConfig): Promise<Analytics> {
  return config.clickhouseUrl === undefined
    ? openChdb(join(config.dataDir, 'analytics'), config.memory)
    : openClickHouse(config.clickhouseUrl)
}
