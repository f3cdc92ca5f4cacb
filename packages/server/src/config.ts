import { existsSync, readFileSync } from 'node:fs'
import { homedir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Role, SETTINGS, type SecretKey, type Setting, TASK_FLAGS } from './settings.ts'

/** All settings of the operator, parsed once at start. */
export interface Config {
  /** Port to listen on; 0 for a free port. */
  readonly port: number
  /** Address to bind. */
  readonly host: string
  /** Port of gRPC exporters; undefined for none. */
  readonly otlpGrpcPort: number | undefined
  /** Port of loopback from which links without a port are redirected; 0 for none. */
  readonly redirectPort: number
  readonly dataDir: string
  /** Seconds to wait for another process to leave the data directory; 0 refuses at once. */
  readonly dataDirWaitSeconds: number
  /** Folder for backups; undefined disables backups. */
  readonly backupDir: string | undefined
  readonly roles: readonly Role[]
  /** Set by `--create-key NAME`: create a key with that name, print it, and exit. */
  readonly createKey: string | undefined
  /** Set by `--verify-backup PATH`: verify a backup and exit. */
  readonly verifyBackup: string | undefined
  /** Set by `--restore-backup PATH`: make the data directory from a backup and exit. */
  readonly restoreBackup: string | undefined
  /** Set by `--verify-cluster`: check the stores of the settings and exit. */
  readonly verifyCluster: boolean
  /** Chosen by the operator; required of every person who sets the server up. */
  readonly setupCode: string | undefined
  /**
   * Made and printed at start when the operator chose none; required of every person to whom the server is not open.
   */
  readonly printedSetupCode: string | undefined
  /** Encrypt the keys of model providers, the first one new ones; empty for the key in the data directory. */
  readonly secretKeys: readonly SecretKey[]
  /** Addresses and networks of proxies whose `X-Forwarded-*` headers are trusted. */
  readonly trustedProxies: readonly string[]
  /** Origin under which users and links reach this server; undefined for the address that it listens on. */
  readonly publicUrl: string | undefined
  /** Folder of the built web UI; undefined to serve the API alone. */
  readonly webDir: string | undefined
  readonly postgresUrl: string | undefined
  readonly clickhouseUrl: string | undefined
  readonly clickhouse: ClickHouseSettings
  /** Bucket for attachments; undefined for files in the data directory. */
  readonly s3: S3Settings | undefined
  /** Private hosts, addresses and networks that the server may call. */
  readonly outboundAllow: readonly string[]
  /** Mail server, with its password; undefined when no email can be sent. */
  readonly smtpUrl: string | undefined
  /** Sender of email. */
  readonly mailFrom: string | undefined
  readonly logLevel: string
  /** Limits of the parts of the server, derived from the available memory. */
  readonly memory: MemoryPlan
  /** Bytes of request bodies that all requests together may hold. */
  readonly maxBytesInFlight: number
  /** Maximum seconds of one select in the column store. */
  readonly maxQuerySeconds: number
  readonly connections: ConnectionSettings
  readonly watchdog: WatchdogSettings
  readonly ingest: IngestLimits
  readonly deletion: DeletionTimes
}

export interface ClickHouseSettings {
  /** Undefined for a single server. */
  readonly cluster: { readonly name: string; readonly isSharded: boolean } | undefined
  readonly asyncInserts: boolean
}

export interface S3Settings {
  readonly bucket: string
  /** Undefined for AWS. */
  readonly endpoint: string | undefined
  readonly region: string | undefined
  /** Begins the names of all objects; empty for none. */
  readonly prefix: string
  /** Undefined: with an endpoint only. */
  readonly isPathStyle: boolean | undefined
  /** Undefined for the sources of the AWS SDK. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined
}

export interface DeletionTimes {
  /** Seconds that an unreferenced blob is kept after its last put. */
  readonly blobGraceSeconds: number
  /** Seconds after a deletion until files with deleted text are rewritten. */
  readonly eraseAfterSeconds: number
}

export interface WatchdogSettings {
  /** Milliseconds for which the event loop, or the embedded column store, may be stuck; 0 never ends the process. */
  readonly stuckAfterMs: number
  /** Port of `/live`; undefined for none. */
  readonly livePort: number | undefined
}

export interface ConnectionSettings {
  /** Minimum speed of a request body. */
  readonly bodyPace: { readonly graceMs: number; readonly minBytesPerSecond: number }
  /** Milliseconds for the head of a request. */
  readonly headersTimeoutMs: number
  /** Open connections of all ports together; the other half of the open files that the process may have is for the stores. */
  readonly maxConnections: number
}

export interface IngestLimits {
  /** Bytes of one part of a multipart body, and of one run's field. */
  readonly maxPartBytes: number
  /** Bytes of a whole request body after decompression. */
  readonly maxBodyBytes: number
  readonly maxAttachmentBytes: number
  /** Rows and bytes that may wait to be stored; over it, 429. */
  readonly maxWaitingRows: number
  readonly maxWaitingBytes: number
  /** Rows and bytes of one insert. */
  readonly groupRows: number
  readonly groupBytes: number
}

/** Mistakes in flags and environment variables, one per line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** The only flag without a value. */
const VERIFY_CLUSTER = '--verify-cluster'

/**
 * Reads flags and environment variables; a flag overrides its variable.
 *
 * @throws ConfigError with all mistakes
 */
export function readConfig(argv: readonly string[], env: NodeJS.ProcessEnv): Config {
  const mistakes: string[] = []
  const flags = readFlags(
    argv.filter((one) => one !== VERIFY_CLUSTER),
    mistakes,
  )
  const read = <Value>(setting: Setting<Value>, otherwise: Value = setting.otherwise): Value => {
    const flag = setting.flag && flags[setting.flag]
    const text = flag ?? env[setting.env]
    if (text === undefined || text === '') return otherwise
    const value = setting.parse(text)
    if (value !== undefined) return value
    mistakes.push(
      `${flag === undefined ? setting.env : `--${setting.flag}`} must be ${setting.expects}${setting.isSecret ? '' : `, not "${text}"`}.`,
    )
    return setting.otherwise
  }
  const memory = planMemory(read(SETTINGS.memory) ?? readAvailableMemory())
  const maxBytesInFlight = read(SETTINGS.maxBytesInFlight, memory.bytesInFlight)
  const config: Config = {
    port: read(SETTINGS.port),
    host: read(SETTINGS.host),
    redirectPort: read(SETTINGS.redirectPort),
    otlpGrpcPort: read(SETTINGS.otlpGrpcPort),
    dataDir: resolve(read(SETTINGS.dataDir) ?? join(homedir(), '.touchstone')),
    dataDirWaitSeconds: read(SETTINGS.dataDirWaitSeconds),
    backupDir: read(SETTINGS.backupDir),
    roles: read(SETTINGS.roles),
    createKey: flags['create-key'],
    verifyBackup: flags['verify-backup'],
    restoreBackup: flags['restore-backup'],
    verifyCluster: argv.includes(VERIFY_CLUSTER),
    setupCode: read(SETTINGS.setupCode),
    printedSetupCode: undefined,
    trustedProxies: read(SETTINGS.trustedProxies),
    publicUrl: read(SETTINGS.publicUrl),
    secretKeys: read(SETTINGS.secretKeys),
    webDir: read(SETTINGS.webDir),
    postgresUrl: read(SETTINGS.postgresUrl),
    clickhouseUrl: read(SETTINGS.clickhouseUrl),
    clickhouse: readClickHouse(read, mistakes),
    s3: readS3(read, mistakes),
    outboundAllow: read(SETTINGS.outboundAllow),
    smtpUrl: read(SETTINGS.smtpUrl),
    mailFrom: read(SETTINGS.mailFrom),
    logLevel: read(SETTINGS.logLevel),
    memory,
    maxBytesInFlight,
    maxQuerySeconds: read(SETTINGS.maxQuerySeconds),
    connections: {
      bodyPace: { graceMs: read(SETTINGS.bodyGraceMs), minBytesPerSecond: read(SETTINGS.minBodyRate) },
      headersTimeoutMs: read(SETTINGS.headersTimeoutMs),
      maxConnections: Math.min(read(SETTINGS.maxConnections), Math.max(1, Math.floor(readOpenFileLimit() / 2))),
    },
    watchdog: { stuckAfterMs: read(SETTINGS.stuckAfterMs), livePort: read(SETTINGS.livePort) },
    ingest: {
      maxPartBytes: read(SETTINGS.maxPartBytes),
      maxBodyBytes: read(SETTINGS.maxBodyBytes, Math.min(SETTINGS.maxBodyBytes.otherwise, maxBytesInFlight)),
      maxAttachmentBytes: read(SETTINGS.maxAttachmentBytes),
      maxWaitingRows: read(SETTINGS.maxWaitingRows),
      maxWaitingBytes: read(SETTINGS.maxWaitingBytes, memory.waitingBytes),
      groupRows: read(SETTINGS.groupRows, memory.groupRows),
      groupBytes: read(SETTINGS.groupBytes, memory.groupBytes),
    },
    deletion: {
      blobGraceSeconds: read(SETTINGS.blobGraceSeconds),
      eraseAfterSeconds: read(SETTINGS.eraseAfterSeconds),
    },
  }
  if (config.backupDir !== undefined && isInside(config.backupDir, config.dataDir)) {
    mistakes.push(
      `--backup-dir ${config.backupDir} is inside the data directory ${config.dataDir}. Choose a folder outside of it, best on another disk.`,
    )
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'))
  return config
}

type ReadSetting = <Value>(setting: Setting<Value>) => Value

function readClickHouse(read: ReadSetting, mistakes: string[]): ClickHouseSettings {
  const [name, isSharded] = [read(SETTINGS.clickhouseCluster), read(SETTINGS.clickhouseSharded)]
  const { clickhouseUrl, clickhouseCluster, clickhouseSharded } = SETTINGS
  if (isSharded && name === undefined) {
    mistakes.push(`${clickhouseSharded.env} is set without the cluster. Set ${clickhouseCluster.env} too.`)
  }
  if (name !== undefined && read(clickhouseUrl) === undefined) {
    mistakes.push(`${clickhouseCluster.env} is set without the address of ClickHouse. Set ${clickhouseUrl.env} too.`)
  }
  return {
    cluster: name === undefined ? undefined : { name, isSharded },
    asyncInserts: read(SETTINGS.clickhouseAsyncInserts),
  }
}

function readS3(read: ReadSetting, mistakes: string[]): S3Settings | undefined {
  const [bucket, accessKeyId] = [read(SETTINGS.s3Bucket), read(SETTINGS.s3AccessKeyId)]
  const [endpoint, secretAccessKey] = [read(SETTINGS.s3Endpoint), read(SETTINGS.s3SecretAccessKey)]
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    const { s3AccessKeyId, s3SecretAccessKey } = SETTINGS
    const [set, missing] = accessKeyId ? [s3AccessKeyId, s3SecretAccessKey] : [s3SecretAccessKey, s3AccessKeyId]
    mistakes.push(`${set.env} is set without ${missing.env}. Set both, or neither.`)
  }
  if (bucket === undefined) {
    if (endpoint !== undefined || accessKeyId !== undefined) {
      mistakes.push(`S3 is set without its bucket. Set ${SETTINGS.s3Bucket.env} too.`)
    }
    return undefined
  }
  return {
    bucket,
    endpoint,
    region: read(SETTINGS.s3Region),
    prefix: read(SETTINGS.s3Prefix),
    isPathStyle: read(SETTINGS.s3PathStyle),
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
  }
}

const isInside = (path: string, folder: string) => `${resolve(path)}/`.startsWith(`${resolve(folder)}/`)

function readFlags(argv: readonly string[], mistakes: string[]): Record<string, string | undefined> {
  const names = [
    ...Object.values(SETTINGS).flatMap((setting) => setting.flag ?? []),
    ...TASK_FLAGS.map(({ flag }) => flag),
  ]
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  const { values, tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true })
  for (const token of tokens) {
    if (token.kind === 'positional') mistakes.push(`"${token.value}" is not a flag.`)
    if (token.kind !== 'option') continue
    if (!names.includes(token.name)) mistakes.push(`--${token.name} is not known. --help lists the flags.`)
    else if (!token.value) mistakes.push(`--${token.name} needs a value.`)
  }
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, asText(value)]))
}

const asText = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

/** Version of this program, as in `package.json`. */
export const VERSION = '0.1.0'

const MiB = 1024 * 1024
const GiB = 1024 * MiB

/** The minimum memory of a server with embedded engines for light use; continuous ingest needs 1 GB. */
export const MINIMUM_MEMORY_BYTES = 512 * MiB

/** The limits of the parts of the server, in bytes, derived from the available memory. */
export interface MemoryPlan {
  readonly availableBytes: number
  /** Request bodies of all requests together. */
  readonly bytesInFlight: number
  /**
   * One request body after decompression; at most all bodies together, because a larger one would always be answered
   * 429.
   */
  readonly bodyBytes: number
  /** Runs that wait to be stored. */
  readonly waitingBytes: number
  /** Runs of one insert. */
  readonly groupBytes: number
  readonly groupRows: number
  /** Unfinished runs that are kept so that their update needs no read. */
  readonly recentRunBytes: number
  /** `shared_buffers` of the embedded PostgreSQL. */
  readonly relationalBufferBytes: number
  /** Maximum allocation of the embedded column store; a query over it fails. */
  readonly analyticsBytes: number
  /** Maximum allocation of the embedded column store in the process for SQL statements of users. */
  readonly statementBytes: number
  /** Each cache of the embedded column store. */
  readonly analyticsCacheBytes: number
}

/**
 * Returns the memory that this process may use: the limit of its cgroup (v1 or v2, as a container or a systemd unit
 * sets it), or the memory of the machine if that is less or there is no limit.
 */
export function readAvailableMemory(): number {
  // Undefined or 0 for an unknown limit, and a huge number without a limit.
  const constrained = process.constrainedMemory()
  return constrained === undefined || constrained <= 0 ? totalmem() : Math.min(constrained, totalmem())
}

/** Returns how many files and connections this process may have open. */
export function readOpenFileLimit(): number {
  if (process.platform === 'win32') return Number.POSITIVE_INFINITY
  const limits = existsSync(LIMITS)
    ? /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync(LIMITS, 'utf8'))?.[1]
    : undefined
  const soft = limits ?? readReport().userLimits?.open_files?.soft
  return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft)
}

const LIMITS = '/proc/self/limits'

interface Report {
  readonly userLimits?: { readonly open_files?: { readonly soft: number | string } }
}

const readReport = () => process.report.getReport() as Report

/** Memory of an idle server with embedded engines, rounded up. */
const IDLE_BYTES = 480 * MiB

/** Divides the memory among the parts. From 6.5 GiB on, the budgets of requests stay constant. */
export function planMemory(availableBytes: number): MemoryPlan {
  const share = (divisor: number, least: number, most: number) =>
    Math.floor(Math.min(most, Math.max(least, availableBytes / divisor)) / MiB) * MiB
  // Storing a request takes about five times its bytes, in addition to the memory of an idle server.
  const spareBytes = Math.max(0, availableBytes - IDLE_BYTES)
  const bytesInFlight = Math.floor(Math.min(256 * MiB, Math.max(8 * MiB, spareBytes / 24)) / MiB) * MiB
  return {
    availableBytes,
    bytesInFlight,
    bodyBytes: Math.min(100 * MiB, bytesInFlight),
    waitingBytes: bytesInFlight,
    groupBytes: share(128, 1 * MiB, 16 * MiB),
    // A run in memory takes several times its bytes, and the engine as much again for a block.
    groupRows: Math.floor(Math.min(3_000, Math.max(250, availableBytes / MiB / 2))),
    recentRunBytes: share(128, 4 * MiB, 64 * MiB),
    relationalBufferBytes: share(64, 8 * MiB, 16 * MiB),
    analyticsBytes: availableBytes < 2 * GiB ? share(6, 80 * MiB, 2 * GiB) : share(5 / 3, GiB, Number.MAX_SAFE_INTEGER),
    statementBytes: share(6, 80 * MiB, 640 * MiB),
    analyticsCacheBytes: share(64, 4 * MiB, 5 * GiB),
  }
}
