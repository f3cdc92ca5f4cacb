import { createHash } from 'node:crypto'
import { isAbsolute } from 'node:path'
import { parseAllowed, parseNetworks } from './outbound/allowed-targets.ts'

/** A part of the server that a process runs. */
export type Role = 'api' | 'worker'

/** One setting of the operator; `docs/reference/settings.md` is generated from all of them. */
export interface Setting<Value> {
  readonly env: `TOUCHSTONE_${string}`
  readonly flag?: string
  readonly otherwise: Value
  /** Description of the default, where the value alone is not clear. */
  readonly defaultText?: string
  readonly description: string
  /** A text that no message may repeat. */
  readonly isSecret?: boolean
  /** Completes "X must be …" when the text is invalid. */
  readonly expects: string
  readonly parse: (text: string) => Value | undefined
}

const MiB = 1024 * 1024

const wholeNumber = (minimum: number, maximum: number) => ({
  expects: `a whole number from ${minimum} to ${maximum}`,
  parse: (text: string) => {
    const number = Number(text)
    return Number.isInteger(number) && number >= minimum && number <= maximum ? number : undefined
  },
})

const UNITS = new Map([
  ['k', 1024],
  ['m', MiB],
  ['g', 1024 * MiB],
])

/** `20971520`, `20MB`, `512 KB`, `1GB`; units are powers of 1024. */
const bytes = {
  expects: 'a size such as 20MB',
  parse: (text: string) => {
    const match = /^(\d+)\s*(?:([kmg])i?b?|b)?$/i.exec(text.trim())
    if (match === null) return undefined
    const [, number, prefix = ''] = match
    const size = Number(number) * (UNITS.get(prefix.toLowerCase()) ?? 1)
    return Number.isSafeInteger(size) && size > 0 ? size : undefined
  },
}

const url = (...protocols: string[]) => ({
  otherwise: undefined as string | undefined,
  expects: `a URL with ${protocols.join(' or ')}`,
  parse: (text: string) => (URL.canParse(text) && protocols.includes(new URL(text).protocol) ? text : undefined),
})

/** One line, with one address. */
const MAIL_FROM = /^(?:[^\s@<>,;:"]+@[^\s@<>,;:"]+|[^\p{Cc}@<>,;:"]{1,100} <[^\s@<>,;:"]+@[^\s@<>,;:"]+>)$/u

const trueOrFalse = {
  expects: 'true or false',
  parse: (text: string) => (text === 'true' ? true : text === 'false' ? false : undefined),
}

const rows = wholeNumber(1, 10_000_000)

/** A key with which secrets are encrypted. */
export interface SecretKey {
  readonly id: string
  /** 32 bytes. */
  readonly key: Buffer
}

/** Parses `base64` or `id:base64`, several separated by commas; undefined when one is no key or two have the same id. */
export function parseSecretKeys(text: string): readonly SecretKey[] | undefined {
  const keys = text
    .trim()
    .split(',')
    .map((entry): SecretKey | undefined => {
      const match = /^(?:([\w.-]{1,40}):)?([A-Za-z\d+/_-]{43}=?)$/.exec(entry.trim())
      if (match?.[2] === undefined) return undefined
      const key = Buffer.from(match[2], 'base64')
      if (key.length !== 32) return undefined
      return { id: match[1] ?? createHash('sha256').update(key).digest('hex').slice(0, 8), key }
    })
  const found = keys.filter((key) => key !== undefined)
  return found.length === keys.length && new Set(found.map(({ id }) => id)).size === keys.length ? found : undefined
}

function setting<Value>(of: Setting<Value>): Setting<Value> {
  return of
}

export const SETTINGS = {
  port: setting({
    env: 'TOUCHSTONE_PORT',
    flag: 'port',
    otherwise: 3000,
    description: 'Port to listen on; 0 for a free one.',
    ...wholeNumber(0, 65535),
  }),
  host: setting({
    env: 'TOUCHSTONE_HOST',
    flag: 'host',
    otherwise: '127.0.0.1',
    description: 'Address to bind. On any address but loopback, access is only possible after the server is set up.',
    expects: 'a host name or address',
    parse: (text: string) => (/^[\w.:[\]-]+$/.test(text) ? text : undefined),
  }),
  redirectPort: setting({
    env: 'TOUCHSTONE_REDIRECT_PORT',
    otherwise: 80,
    description:
      'Port of loopback from which a server that only this machine reaches redirects to itself, if the port is free; 0 for none. ' +
      'The Python client prints the links of a local server without its port.',
    ...wholeNumber(0, 65535),
  }),
  dataDir: setting({
    env: 'TOUCHSTONE_DATA_DIR',
    flag: 'data-dir',
    otherwise: undefined as string | undefined,
    defaultText: '~/.touchstone',
    description: 'Folder for the embedded stores, attachments and secrets.',
    expects: 'a folder',
    parse: (text: string) => text,
  }),
  dataDirWaitSeconds: setting({
    env: 'TOUCHSTONE_WAIT_FOR_DATA_DIR',
    flag: 'wait-for-data-dir',
    otherwise: 0,
    defaultText: '0, refuse at once',
    description:
      'Seconds to wait at start until another process releases the data directory, e.g. the server that this one replaces.',
    ...wholeNumber(0, 3600),
  }),
  backupDir: setting({
    env: 'TOUCHSTONE_BACKUP_DIR',
    flag: 'backup-dir',
    otherwise: undefined as string | undefined,
    defaultText: 'none: no backups',
    description: 'Folder for backups, outside the data directory and best on another disk.',
    expects: 'an absolute path',
    parse: (text: string) => (isAbsolute(text) ? text : undefined),
  }),
  roles: setting<readonly Role[]>({
    env: 'TOUCHSTONE_ROLES',
    flag: 'roles',
    otherwise: ['api', 'worker'],
    defaultText: 'api,worker',
    description: 'Tasks of this process: answer requests, do background work, or both.',
    expects: 'api, worker or api,worker',
    parse: (text) => {
      const roles = text.split(',').map((role) => role.trim())
      return roles.every((role): role is Role => role === 'api' || role === 'worker') ? roles : undefined
    },
  }),
  setupCode: setting({
    env: 'TOUCHSTONE_SETUP_CODE',
    isSecret: true,
    otherwise: undefined as string | undefined,
    defaultText: 'a random code, printed at start until an account or a key exists',
    description: 'Code that is required to set the server up. With this setting, programs on this machine need it too.',
    expects: 'at least 12 characters',
    parse: (text: string) => (text.length >= 12 ? text : undefined),
  }),
  publicUrl: setting({
    env: 'TOUCHSTONE_PUBLIC_URL',
    description:
      'Origin under which users reach this server; links and signed URLs start with it. ' +
      'With a host other than loopback, access is only possible after the server is set up.',
    defaultText: 'the address it listens on',
    ...url('http:', 'https:'),
    parse: (text: string) => (/^https?:$/.test(readProtocol(text)) ? text.replace(/(?<!\/)\/+$/, '') : undefined),
  }),
  trustedProxies: setting<readonly string[]>({
    env: 'TOUCHSTONE_TRUSTED_PROXIES',
    otherwise: [],
    defaultText: 'none',
    description:
      'Addresses and networks of proxies whose `X-Forwarded-For`, `-Proto` and `-Host` headers are trusted: ' +
      '`127.0.0.1,10.0.0.0/8`. Wrong passwords are counted by the address in these headers.',
    expects: 'addresses or networks, separated by commas',
    parse: parseNetworks,
  }),
  secretKeys: setting<readonly SecretKey[]>({
    env: 'TOUCHSTONE_SECRET_KEY',
    otherwise: [],
    defaultText: 'the file `secret-key` of the data directory, made when it is first needed',
    description:
      'Key that encrypts the keys of model providers: 32 bytes in base64. Several as `id:key,id:key`: the first one encrypts, ' +
      'the others only decrypt. Required to store such keys with PostgreSQL.',
    isSecret: true,
    expects: '32 bytes in base64, or several as id:key,id:key',
    parse: parseSecretKeys,
  }),
  webDir: setting({
    env: 'TOUCHSTONE_WEB_DIR',
    otherwise: undefined as string | undefined,
    defaultText: 'the UI built beside the server',
    description: 'Folder of the built web UI.',
    expects: 'an absolute path',
    parse: (text: string) => (isAbsolute(text) ? text : undefined),
  }),
  postgresUrl: setting({
    env: 'TOUCHSTONE_POSTGRES_URL',
    description: 'PostgreSQL 14 or newer instead of the embedded one.',
    defaultText: 'embedded PGlite',
    ...url('postgres:', 'postgresql:'),
  }),
  clickhouseUrl: setting({
    env: 'TOUCHSTONE_CLICKHOUSE_URL',
    description: 'ClickHouse 26.2 or newer instead of the embedded one: http[s]://user:password@host:8123/database.',
    defaultText: 'embedded chDB',
    ...url('http:', 'https:'),
  }),
  clickhouseCluster: setting({
    env: 'TOUCHSTONE_CLICKHOUSE_CLUSTER',
    otherwise: undefined as string | undefined,
    defaultText: 'none: one server',
    description:
      'Name of the cluster in the configuration of ClickHouse. Tables are then replicated, and an insert waits for most replicas. ' +
      'Choose it before the first start: existing tables are not converted.',
    expects: 'the name of a cluster',
    parse: (text: string) => (/^[\w-]{1,100}$/.test(text) ? text : undefined),
  }),
  clickhouseSharded: setting({
    env: 'TOUCHSTONE_CLICKHOUSE_SHARDED',
    otherwise: false as boolean,
    description:
      'Spread workspaces over the shards of the cluster, each workspace on one. Choose it before the first start.',
    ...trueOrFalse,
  }),
  clickhouseAsyncInserts: setting({
    env: 'TOUCHSTONE_CLICKHOUSE_ASYNC_INSERTS',
    otherwise: false as boolean,
    description:
      'Let ClickHouse join the blocks of several processes, so that three or more of them do not write too many small parts. ' +
      'A request still waits until its rows are stored, up to 100 ms longer.',
    ...trueOrFalse,
  }),
  s3Bucket: setting({
    env: 'TOUCHSTONE_S3_BUCKET',
    otherwise: undefined as string | undefined,
    defaultText: 'none: attachments are files in the data directory',
    description: 'Bucket of S3, or of a store with its API, for attachments. The bucket must exist.',
    expects: 'the name of a bucket',
    parse: (text: string) => (/^[a-z\d][\w.-]{1,61}[a-z\d]$/i.test(text) ? text : undefined),
  }),
  s3Endpoint: setting({
    env: 'TOUCHSTONE_S3_ENDPOINT',
    description: 'Address of a store with the API of S3: `https://minio.internal:9000`.',
    defaultText: 'AWS',
    ...url('http:', 'https:'),
  }),
  s3Region: setting({
    env: 'TOUCHSTONE_S3_REGION',
    otherwise: undefined as string | undefined,
    defaultText: '`us-east-1` with an endpoint, else `AWS_REGION` or the region of the AWS configuration',
    description: 'Region of the bucket.',
    expects: 'the name of a region such as eu-central-1',
    parse: (text: string) => (/^[a-z\d-]{1,40}$/i.test(text) ? text : undefined),
  }),
  s3Prefix: setting({
    env: 'TOUCHSTONE_S3_PREFIX',
    otherwise: '',
    defaultText: 'none',
    description:
      'Text before the names of all objects, such as `touchstone/`, for a bucket that other programs use too.',
    expects: 'at most 200 letters, digits and any of / - _ . without a / at its beginning',
    parse: (text: string) => (/^[\w.-][\w./-]{0,199}$/.test(text) ? text : undefined),
  }),
  s3PathStyle: setting({
    env: 'TOUCHSTONE_S3_PATH_STYLE',
    otherwise: undefined as boolean | undefined,
    defaultText: '`true` with an endpoint, else `false`',
    description: 'Whether requests name the bucket in the path and not in the host name.',
    ...trueOrFalse,
  }),
  s3AccessKeyId: setting({
    env: 'TOUCHSTONE_S3_ACCESS_KEY_ID',
    otherwise: undefined as string | undefined,
    defaultText: 'the sources of the AWS SDK: `AWS_ACCESS_KEY_ID`, `~/.aws`, the role of the machine or pod',
    description: 'Access key of the bucket.',
    expects: 'the id of an access key',
    parse: (text: string) => (/^\S{1,200}$/.test(text) ? text : undefined),
  }),
  s3SecretAccessKey: setting({
    env: 'TOUCHSTONE_S3_SECRET_ACCESS_KEY',
    isSecret: true,
    otherwise: undefined as string | undefined,
    defaultText: 'as for the access key',
    description: 'Secret of the access key.',
    expects: 'the secret of an access key',
    parse: (text: string) => (/^\S{1,500}$/.test(text) ? text : undefined),
  }),
  outboundAllow: setting<readonly string[]>({
    env: 'TOUCHSTONE_OUTBOUND_ALLOW',
    otherwise: [],
    defaultText: 'the public internet only',
    description:
      'Private hosts, addresses and networks that webhooks and model providers may call: `hooks.internal,10.0.0.0/8,127.0.0.1`. ' +
      'A listed host may be called at any address that it resolves to.',
    expects: 'host names, addresses or networks, separated by commas',
    parse: parseAllowed,
  }),
  smtpUrl: setting({
    env: 'TOUCHSTONE_SMTP_URL',
    isSecret: true,
    description:
      'Mail server for notification channels of the kind email: `smtps://user:password@host:465`, or `smtp://host:587`, which uses ' +
      'STARTTLS where the server offers it, and requires it with a password. A private host needs TOUCHSTONE_OUTBOUND_ALLOW.',
    defaultText: 'no email is sent',
    ...url('smtp:', 'smtps:'),
  }),
  mailFrom: setting({
    env: 'TOUCHSTONE_MAIL_FROM',
    otherwise: undefined as string | undefined,
    defaultText: 'no email is sent',
    description: 'Sender of email: `alerts@example.com` or `Touchstone <alerts@example.com>`.',
    expects: 'an email address, also as Name <address>',
    parse: (text: string) => (MAIL_FROM.test(text) ? text : undefined),
  }),
  logLevel: setting({
    env: 'TOUCHSTONE_LOG_LEVEL',
    otherwise: 'warn',
    description: 'Minimum level of log lines; `info` logs each request.',
    expects: 'trace, debug, info, warn, error, fatal or silent',
    parse: (text: string) => (/^(trace|debug|info|warn|error|fatal|silent)$/.test(text) ? text : undefined),
  }),
  memory: setting({
    env: 'TOUCHSTONE_MEMORY',
    otherwise: undefined as number | undefined,
    defaultText: 'the limit of the cgroup, else the memory of the machine',
    description:
      'Memory that the process may use; the sizes of budgets and caches depend on it. At least `512MB` with embedded engines.',
    ...bytes,
  }),
  blobGraceSeconds: setting({
    env: 'TOUCHSTONE_BLOB_GRACE_SECONDS',
    otherwise: 3600,
    description:
      'Seconds that an unreferenced attachment is kept after its last upload. ' +
      'Must be longer than the duration of an upload.',
    ...wholeNumber(1, 30 * 24 * 3600),
  }),
  eraseAfterSeconds: setting({
    env: 'TOUCHSTONE_ERASE_AFTER_SECONDS',
    otherwise: 24 * 3600,
    description:
      'Seconds after a deletion until the analytics store rewrites the files with the deleted text. A shorter time causes ' +
      'more writes: a rewrite copies the rest of these files.',
    ...wholeNumber(1, 30 * 24 * 3600),
  }),
  maxBytesInFlight: setting({
    env: 'TOUCHSTONE_MAX_BYTES_IN_FLIGHT',
    otherwise: 256 * MiB,
    defaultText: '`256MB`, less with less than 6.5 GB of memory; `8MB` at 512 MB',
    description: 'Bytes of request bodies that all requests together may hold; over it, 429.',
    ...bytes,
  }),
  maxQuerySeconds: setting({
    env: 'TOUCHSTONE_MAX_QUERY_SECONDS',
    otherwise: 30,
    description: 'Maximum seconds of one query over runs; over it, 400. At most 10 for readers of share links.',
    ...wholeNumber(1, 3600),
  }),
  maxPartBytes: setting({
    env: 'TOUCHSTONE_MAX_PART_BYTES',
    otherwise: 20 * MiB,
    description: 'Bytes of one part of an ingest body; over it, 413.',
    ...bytes,
  }),
  maxBodyBytes: setting({
    env: 'TOUCHSTONE_MAX_BODY_BYTES',
    otherwise: 100 * MiB,
    defaultText: '`100MB`, or all bytes in flight if that is less',
    description: 'Bytes of a whole request body after decompression; over it, 413.',
    ...bytes,
  }),
  maxAttachmentBytes: setting({
    env: 'TOUCHSTONE_MAX_ATTACHMENT_BYTES',
    otherwise: 20 * MiB,
    description: 'Bytes of one attachment; over it, 413.',
    ...bytes,
  }),
  bodyGraceMs: setting({
    env: 'TOUCHSTONE_BODY_GRACE_MS',
    otherwise: 30_000,
    description:
      'Milliseconds that every request body may take to arrive; after that it must keep the minimum rate, or gets 408.',
    ...wholeNumber(100, 86_400_000),
  }),
  minBodyRate: setting({
    env: 'TOUCHSTONE_MIN_BODY_RATE',
    otherwise: 8 * 1024,
    defaultText: '8KB',
    description: 'Minimum average bytes per second of a request body after its grace period.',
    ...bytes,
  }),
  headersTimeoutMs: setting({
    env: 'TOUCHSTONE_HEADERS_TIMEOUT_MS',
    otherwise: 20_000,
    description: 'Milliseconds that the headers of a request may take to arrive; after that the connection is closed.',
    ...wholeNumber(100, 3_600_000),
  }),
  maxConnections: setting({
    env: 'TOUCHSTONE_MAX_CONNECTIONS',
    otherwise: 10_000,
    defaultText: '`10000`, or half of the open files of the process (`ulimit -n`) if that is less',
    description:
      'Maximum number of open connections of all ports together, never more than half of the open files of the process. ' +
      'Over it, the one that is idle for longest is closed.',
    ...wholeNumber(1, 1_000_000),
  }),
  otlpGrpcPort: setting({
    env: 'TOUCHSTONE_OTLP_GRPC_PORT',
    otherwise: undefined as number | undefined,
    defaultText: 'none',
    description:
      'Port for OpenTelemetry exporters that speak gRPC, usually 4317; bound to the same address as the server, without TLS. ' +
      'Exporters that speak HTTP use the port of the server.',
    ...wholeNumber(1, 65535),
  }),
  livePort: setting({
    env: 'TOUCHSTONE_LIVE_PORT',
    otherwise: undefined as number | undefined,
    defaultText: 'none',
    description:
      'Port on which a separate thread answers `GET /live`: 200 while the event loop turns, 503 when it has been stuck ' +
      'for 10 s. For liveness probes; bound to the same address as the server.',
    ...wholeNumber(1, 65535),
  }),
  stuckAfterMs: setting({
    env: 'TOUCHSTONE_STUCK_AFTER_MS',
    otherwise: 60_000,
    description:
      'Milliseconds that the event loop may be stuck, or the embedded column store beyond the limit of a query, before the ' +
      'process is ended, for a restart; 0 never ends it.',
    ...wholeNumber(0, 86_400_000),
  }),
  maxWaitingRows: setting({
    env: 'TOUCHSTONE_MAX_WAITING_ROWS',
    otherwise: 20_000,
    description: 'Runs that may wait to be stored; over it, 429.',
    ...rows,
  }),
  maxWaitingBytes: setting({
    env: 'TOUCHSTONE_MAX_WAITING_BYTES',
    otherwise: 256 * MiB,
    defaultText: '`256MB`, less with less than 6.5 GB of memory; `8MB` at 512 MB',
    description: 'Bytes of runs that may wait to be stored; over it, 429.',
    ...bytes,
  }),
  groupRows: setting({
    env: 'TOUCHSTONE_GROUP_ROWS',
    otherwise: 3_000,
    defaultText: '`3000`, less with less than 6 GB of memory; `256` at 512 MB',
    description: 'Maximum number of runs in one insert.',
    ...rows,
  }),
  groupBytes: setting({
    env: 'TOUCHSTONE_GROUP_BYTES',
    otherwise: 16 * MiB,
    defaultText: '`16MB`, or a 128th of the memory if that is less',
    description: 'Maximum bytes of one insert.',
    ...bytes,
  }),
} as const

function readProtocol(text: string): string {
  return URL.canParse(text) ? new URL(text).protocol : ''
}

/** A flag for a task instead of starting the server. */
export interface TaskFlag {
  readonly flag: string
  /** Placeholder of its value. */
  readonly value: string
  readonly description: string
}

export const TASK_FLAGS: readonly TaskFlag[] = [
  {
    flag: 'create-key',
    value: 'NAME',
    description: 'Create an API key in the data directory, print it and exit; the server must be stopped.',
  },
  { flag: 'verify-backup', value: 'PATH', description: 'Check a backup and exit.' },
  { flag: 'restore-backup', value: 'PATH', description: 'Make the data directory from a backup and exit.' },
]
