import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { openChdb } from './analytics/chdb.ts'
import { openClickHouse } from './analytics/clickhouse.ts'
import { findDamagedParts, listSetAsideParts } from './analytics/damaged-parts.ts'
import type { EngineWatchOptions } from './analytics/engine-watch.ts'
import type { Analytics } from './analytics/port.ts'
import { assertRestored } from './backups/index.ts'
import { openDiskBlobs } from './blobs/disk.ts'
import type { Blobs } from './blobs/port.ts'
import { lockDataDir } from './data-dir/lock-data-dir.ts'
import { closeDataDir, createDataDir } from './data-dir/protect-data-dir.ts'
import { findDamagedPage } from './relational/page-checksums.ts'
import { openPglite } from './relational/pglite.ts'
import type { Relational } from './relational/port.ts'
import { openPostgres } from './relational/postgres.ts'

export interface Engines {
  readonly relational: Relational
  readonly analytics: Analytics
  readonly blobs: Blobs
  /** Closes the stores in reverse order and releases the data directory. */
  close(): Promise<void>
}

export type EngineConfig = Pick<Config, 'dataDir' | 'postgresUrl' | 'clickhouseUrl'> &
  Partial<Pick<Config, 'dataDirWaitSeconds' | 'memory' | 'watchdog' | 'clickhouse' | 's3'>>

/**
 * Opens the stores, embedded ones below the data directory, and migrates them.
 *
 * @throws Error when another process uses the data directory, or the data is of a newer version
 */
export async function openEngines(config: EngineConfig, log: Logger): Promise<Engines> {
  const closers: (() => Promise<void> | void)[] = []
  const close = async () => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne()
  }
  try {
    assertRestored(config.dataDir)
    createDataDir(config.dataDir)
    // Several servers may share a disk for blobs; the embedded engines belong to one process.
    if (isEmbedded(config)) closers.push(await lockForEngines(config, log))
    closeDataDir(config.dataDir, log)
    const relational = await openRelational(config, log)
    closers.push(() => relational.close())
    const analytics = await openAnalytics(config, log)
    closers.push(() => analytics.close())
    const blobs = await openBlobs(config)
    closers.push(() => blobs.close())
    return { relational, analytics, blobs, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Opens the store of attachments: a bucket when one is set, otherwise files in the data directory. */
export async function openBlobs({ dataDir, s3 }: Pick<EngineConfig, 'dataDir' | 's3'>): Promise<Blobs> {
  if (s3 === undefined) return openDiskBlobs(join(dataDir, 'blobs'))
  // The client of S3 is loaded by servers that use it only.
  const { openS3Blobs } = await import('./blobs/s3/open-s3.ts')
  return openS3Blobs(s3)
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

/**
 * Opens the relational store, the embedded one below the data directory.
 *
 * @throws DamagedStoreError when the embedded database cannot be read
 */
export async function openRelational(config: EngineConfig, log: Logger): Promise<Relational> {
  if (config.postgresUrl === undefined) {
    const directory = join(config.dataDir, 'relational')
    return openOrExplain('relational database', directory, async () => {
      const relational = await openPglite(directory, config.memory?.relationalBufferBytes, (message) =>
        log.warn(message),
      )
      const damage = findDamagedPage(directory)
      if (damage === undefined) return relational
      await relational.close()
      throw damagedStoreError('relational database', directory, damage)
    })
  }
  return openPostgres(config.postgresUrl, (error) => log.error({ err: error }, 'a Postgres connection broke'))
}

export function isEmbedded(config: EngineConfig): boolean {
  return config.postgresUrl === undefined || config.clickhouseUrl === undefined
}

async function openAnalytics(config: EngineConfig, log: Logger): Promise<Analytics> {
  if (config.clickhouseUrl !== undefined) return openClickHouse(config.clickhouseUrl, config.clickhouse)
  const directory = join(config.dataDir, 'analytics')
  return openOrExplain('column store', directory, async () => {
    const analytics = await openChdb(directory, config.memory, endWhenStuck(config, log))
    try {
      await refuseDamagedParts(analytics, directory, log)
      return analytics
    } catch (error) {
      await analytics.close()
      throw error
    }
  })
}

/** A stuck engine cannot be closed, so the process ends itself with SIGKILL, as it does when the event loop is stuck. */
function endWhenStuck({ watchdog }: EngineConfig, log: Logger): EngineWatchOptions | undefined {
  if (watchdog === undefined || watchdog.stuckAfterMs === 0) return undefined
  return {
    stuckAfterMs: watchdog.stuckAfterMs,
    onStuck(message) {
      log.fatal(message)
      process.kill(process.pid, 'SIGKILL')
    },
  }
}

/**
 * Refuses damaged parts that the engine loaded: they would fail queries at random. Parts that the engine set aside are
 * logged and the others served: after a power cut such a part may be a merge whose sources are all present.
 */
async function refuseDamagedParts(analytics: Analytics, directory: string, log: Logger): Promise<void> {
  for (const { table, part, detail } of await listSetAsideParts(analytics)) {
    log.error(
      { table, part, reason: detail },
      `The column store in ${directory} could not load the part ${part} of the table ${table} and set it aside: ` +
        'runs may be missing. Compare with a backup; see docs/guides/damaged-data.md.',
    )
  }
  const [first, ...others] = await findDamagedParts(analytics)
  if (first === undefined) return
  const more = others.length === 0 ? '' : ` (and ${others.length} other parts)`
  throw damagedStoreError(
    'column store',
    directory,
    `the part ${first.part} of the table ${first.table}${more} cannot be read: ${first.detail}`,
  )
}

/** Opens a store; reports damage with the way to recover. */
async function openOrExplain<Store>(store: string, directory: string, open: () => Promise<Store>): Promise<Store> {
  try {
    return await open()
  } catch (error) {
    const damage = error instanceof DamagedStoreError ? undefined : findDamage(error)
    throw damage === undefined ? error : damagedStoreError(store, directory, damage, error)
  }
}

/** A store is damaged; the message names the damage and how to recover. */
class DamagedStoreError extends Error {
  override readonly name = 'DamagedStoreError'
}

/** PostgreSQL: data_corrupted, index_corrupted, and files that are missing or cannot be read. */
const DAMAGE_CODES = new Set(['XX001', 'XX002', '58P01', '58030'])

/** Messages of damage from engines without a code: PostgreSQL's panics end its WebAssembly program with `Aborted()`. */
const DAMAGE_TEXT =
  /invalid page|Aborted\(|unreachable|could not (read|open|access) (file|block|the)|could not locate a valid checkpoint|invalid (magic|checkpoint|primary)|unexpected (zero page|data beyond EOF)|corrupt|CHECKSUM_DOESNT_MATCH|CANNOT_READ_ALL_DATA|CANNOT_PARSE|ATTEMPT_TO_READ_AFTER_EOF|UNKNOWN_FORMAT_VERSION|BAD_DATA_PART_NAME|NO_FILE_IN_DATA_PART|TOO_MANY_UNEXPECTED_DATA_PARTS|UNEXPECTED_FILE_IN_DATA_PART/i

/** Returns the engine's message about damaged data from an error or one of its causes; undefined for other errors. */
export function findDamage(error: unknown): string | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++) {
    const { code } = cause as { code?: unknown }
    if ((typeof code === 'string' && DAMAGE_CODES.has(code)) || DAMAGE_TEXT.test(cause.message)) return cause.message
  }
  return undefined
}

/**
 * Creates the error for a damaged store, with the way to recover.
 *
 * @param store   e.g. `relational database`
 * @param directory   of the store
 * @param detail  message of the engine
 */
export function damagedStoreError(
  store: string,
  directory: string,
  detail: string,
  cause?: unknown,
): DamagedStoreError {
  const line = detail.split('\n', 1)[0]!.slice(0, 300).replace(/\.$/, '')
  return new DamagedStoreError(
    `The ${store} in ${directory} is damaged: ${line}. ` +
      'Keep a copy of the data directory, then restore it from a backup: `touchstone backup restore`, or the copy that ' +
      'you made of the whole data directory. How, and what to do without a backup: docs/guides/damaged-data.md.',
    { cause },
  )
}
