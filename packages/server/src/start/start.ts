import { uuid7 } from '@touchstone/contract'
import type { Logger } from 'pino'
import { type Config, ConfigError, readConfig, VERSION } from '../config.ts'
import { createKey } from '../features/accounts/auth/index.ts'
import { selectDefaultWorkspaceId } from '../features/accounts/index.ts'
import {
  assertRestored,
  BackupError,
  type Manifest,
  needsDataDir,
  restoreBackup,
  verifyBackup,
} from '../storage/backups/index.ts'
import type { Blobs } from '../storage/blobs/port.ts'
import { createDataDir, createPrivateFiles } from '../storage/data-dir/protect-data-dir.ts'
import { lockForEngines, openBlobs, openRelational } from '../storage/open-engines.ts'
import type { Relational } from '../storage/relational/port.ts'
import { verifyCluster } from '../storage/verify-cluster/index.ts'
import { formatHelp } from './help.ts'
import { createLogger, runServer, StartError } from './run-server.ts'

/** Runs the task of the command line; on a failure, prints a message and exits with 1. */
export async function start(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  if (argv.some((argument) => argument === '--help' || argument === '-h')) return console.log(formatHelp())
  if (argv.includes('--version')) return console.log(VERSION)
  try {
    const config = readConfig(argv, env)
    createPrivateFiles()
    if (config.verifyCluster) return await verifyStores(config)
    const backup = config.restoreBackup ?? config.verifyBackup
    if (backup !== undefined) return await useBackup(config, backup)
    await (config.createKey === undefined ? runServer(config) : printNewKey(config, config.createKey))
  } catch (error) {
    // The message alone for problems that the operator can solve; the stack for our own mistakes.
    console.error(error instanceof ConfigError || error instanceof StartError ? error.message : error)
    process.exit(1)
  }
}

/** Checks the stores of the settings and ends the process: a list in JSON to standard output, 1 when a check failed. */
async function verifyStores(config: Config): Promise<never> {
  const results = await verifyCluster(config)
  if (results.length === 0) {
    console.error(
      'No PostgreSQL, ClickHouse or S3 is set (TOUCHSTONE_POSTGRES_URL, …): the embedded stores need no check.',
    )
  }
  console.log(JSON.stringify(results))
  process.exit(results.some(({ status }) => status === 'failed') ? 1 : 0)
}

/** The same exit codes as the command line of Touchstone. */
const EXIT_CODES = { not_found: 3, not_empty: 5, failed: 1 } as const

/**
 * Verifies or restores a backup without a server, and ends the process. The result goes to standard output as a line of
 * JSON, progress and errors to standard error.
 */
async function useBackup(config: Config, backup: string): Promise<never> {
  const report = (message: string) => console.error(`${message} …`)
  try {
    if (config.restoreBackup === undefined) {
      console.log(JSON.stringify({ backup, ...summarize(await verifyBackup(backup, report)) }))
      process.exit(0)
    }
    const { dataDir, postgresUrl, clickhouseUrl, clickhouse } = config
    const target = { dataDir, postgresUrl, clickhouseUrl, clickhouse, blobs: await openObjectStore(config) }
    const manifest = await restoreBackup(backup, target, report)
    const restored = needsDataDir(target) ? { data_dir: dataDir } : {}
    console.log(JSON.stringify({ backup, ...restored, ...summarize(manifest) }))
    process.exit(0)
  } catch (error) {
    if (!(error instanceof BackupError)) throw error
    console.error(error.message)
    process.exit(EXIT_CODES[error.kind])
  }
}

/** The bucket for attachments, if one is set. */
async function openObjectStore(config: Config): Promise<Blobs | undefined> {
  if (config.s3 === undefined) return undefined
  return openBlobs(config).catch((error: Error) => {
    throw new StartError(error.message, { cause: error })
  })
}

function summarize({ files, directories: _, links: __, ...rest }: Manifest) {
  return { ...rest, files: files.length }
}

/** Creates a key in the data directory of a stopped server and prints it: the key alone to standard output. */
async function printNewKey(config: Config, name: string): Promise<void> {
  const log = createLogger(config.logLevel)
  const unlock = config.postgresUrl === undefined ? await lockForKey(config, log) : () => {}
  try {
    const relational = await openOrStop(config, log)
    const tenantId = await selectDefaultWorkspaceId(relational.db)
    const local = { kind: 'local', actorId: undefined, actorName: undefined } as const
    const maker = { ...local, tenantId, role: 'admin', isServerAdmin: true } as const
    const { key } = await createKey({ relational, clock: Date.now, ids: uuid7 }, maker, { description: name })
    await relational.close()
    console.error(`Created the key "${name}" in ${config.dataDir}. It is shown this once:`)
    console.log(key)
  } finally {
    unlock()
  }
}

async function openOrStop(config: Config, log: Logger): Promise<Relational> {
  try {
    return await openRelational(config, log)
  } catch (error) {
    throw new StartError((error as Error).message, { cause: error })
  }
}

async function lockForKey(config: Config, log: Logger): Promise<() => void> {
  try {
    assertRestored(config.dataDir)
    createDataDir(config.dataDir)
    return await lockForEngines(config, log)
  } catch (error) {
    throw new StartError((error as Error).message, { cause: error })
  }
}
