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
  readonly defaultSays?: string
  readonly says: string
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

/** `20971520`, `20MB`, `512 KB`, `1GB`; units are powers of 1024. */
const bytes = {
  expects: 'a size such as 20MB',
  parse: (text: string) => {
    const match = /^(\d+)\s*(?:([kmg])i?b?|b)?$/i.exec(text.trim())
    if (match === null) return undefined
    const unit = { '': 1, k: 1024, m: MiB, g: 1024 * MiB }[(match[2] ?? '').toLowerCase()]!
    const size = Number(match[1]) * unit
    return Number.isSafeInteger(size) && size > 0 ? size : undefined
  },
}

const url = (...protocols: string[]) => ({
  otherwise: undefined as string | undefined,
  expects: `a URL with ${protocols.join(' or ')}`,
  parse: (text: string) => (URL.canParse(text) && protocols.includes(new URL(text).protocol) ? text : undefined),
})

const rows = wholeNumber(1, 10_000_000)

function setting<Value>(of: Setting<Value>): Setting<Value> {
  return of
}

export const SETTINGS = {
  port: setting({
    env: 'TOUCHSTONE_PORT',
    flag: 'port',
    otherwise: 3000,
    says: 'Port to listen on; 0 takes a free one.',
    ...wholeNumber(0, 65535),
  }),
  host: setting({
    env: 'TOUCHSTONE_HOST',
    flag: 'host',
    otherwise: '127.0.0.1',
    says: 'Address to bind. On anything but loopback nobody comes in before the server is set up.',
    expects: 'a host name or address',
    parse: (text: string) => (/^[\w.:[\]-]+$/.test(text) ? text : undefined),
  }),
  dataDir: setting({
    env: 'TOUCHSTONE_DATA_DIR',
    flag: 'data-dir',
    otherwise: undefined as string | undefined,
    defaultSays: '~/.touchstone',
    says: 'Everything embedded lives below this folder.',
    expects: 'a folder',
    parse: (text: string) => text,
  }),
  dataDirWaitSeconds: setting({
    env: 'TOUCHSTONE_WAIT_FOR_DATA_DIR',
    flag: 'wait-for-data-dir',
    otherwise: 0,
    defaultSays: '0, refuse at once',
    says: 'Seconds to wait at start until another process has left the data directory, e.g. the server that this one replaces.',
    ...wholeNumber(0, 3600),
  }),
  backupDir: setting({
    env: 'TOUCHSTONE_BACKUP_DIR',
    flag: 'backup-dir',
    otherwise: undefined as string | undefined,
    defaultSays: 'none: no backups',
    says: 'Folder that backups are written to, outside the data directory and best on another disk.',
    expects: 'an absolute path',
    parse: (text: string) => (isAbsolute(text) ? text : undefined),
  }),
  roles: setting<readonly Role[]>({
    env: 'TOUCHSTONE_ROLES',
    flag: 'roles',
    otherwise: ['api', 'worker'],
    defaultSays: 'api,worker',
    says: 'What this process does: answer requests, do background work, or both.',
    expects: 'api, worker or api,worker',
    parse: (text) => {
      const roles = text.split(',').map((role) => role.trim())
      return roles.every((role): role is Role => role === 'api' || role === 'worker') ? roles : undefined
    },
  }),
  setupCode: setting({
    env: 'TOUCHSTONE_SETUP_CODE',
    otherwise: undefined as string | undefined,
    defaultSays: 'a new one, printed at start while nobody can sign in',
    says: 'Code that must be given to set the server up. Once chosen, programs of this machine need it too.',
    expects: 'at least 12 characters',
    parse: (text: string) => (text.length >= 12 ? text : undefined),
  }),
  publicUrl: setting({
    env: 'TOUCHSTONE_PUBLIC_URL',
    says:
      'Origin that users reach this server by; links and signed URLs start with it. ' +
      'With a host other than loopback nobody comes in before the server is set up.',
    defaultSays: 'the address it listens on',
    ...url('http:', 'https:'),
    parse: (text: string) => (/^https?:$/.test(readProtocol(text)) ? text.replace(/\/+$/, '') : undefined),
  }),
  trustedProxies: setting<readonly string[]>({
    env: 'TOUCHSTONE_TRUSTED_PROXIES',
    otherwise: [],
    defaultSays: 'none',
    says:
      'Addresses and networks of proxies whose `X-Forwarded-For`, `-Proto` and `-Host` headers are believed: ' +
      '`127.0.0.1,10.0.0.0/8`. Wrong passwords are counted by the address that they name.',
    expects: 'addresses or networks with commas between them',
    parse: parseNetworks,
  }),
  webDir: setting({
    env: 'TOUCHSTONE_WEB_DIR',
    otherwise: undefined as string | undefined,
    defaultSays: 'the UI built beside the server',
    says: 'Folder of the built web UI.',
    expects: 'an absolute path',
    parse: (text: string) => (isAbsolute(text) ? text : undefined),
  }),
  postgresUrl: setting({
    env: 'TOUCHSTONE_POSTGRES_URL',
    says: 'PostgreSQL 14 or newer in place of the embedded one.',
    defaultSays: 'embedded PGlite',
    ...url('postgres:', 'postgresql:'),
  }),
  clickhouseUrl: setting({
    env: 'TOUCHSTONE_CLICKHOUSE_URL',
    says: 'ClickHouse 26.2 or newer in place of the embedded one: http[s]://user:password@host:8123/database.',
    defaultSays: 'embedded chDB',
    ...url('http:', 'https:'),
  }),
  outboundAllow: setting<readonly string[]>({
    env: 'TOUCHSTONE_OUTBOUND_ALLOW',
    otherwise: [],
    defaultSays: 'the public internet only',
    says:
      'Hosts, addresses and networks that webhooks may call though they are private: `hooks.internal,10.0.0.0/8,127.0.0.1`. ' +
      'A host that is named may be called wherever it leads.',
    expects: 'host names, addresses or networks with commas between them',
    parse: parseAllowed,
  }),
  logLevel: setting({
    env: 'TOUCHSTONE_LOG_LEVEL',
    otherwise: 'warn',
    says: 'Least severe log lines to print; `info` prints a line per request.',
    expects: 'trace, debug, info, warn, error, fatal or silent',
    parse: (text: string) => (/^(trace|debug|info|warn|error|fatal|silent)$/.test(text) ? text : undefined),
  }),
  memory: setting({
    env: 'TOUCHSTONE_MEMORY',
    otherwise: undefined as number | undefined,
    defaultSays: 'the limit of the cgroup, else the memory of the machine',
    says: 'Memory that the process may use; budgets and caches are divided from it. At least `512MB` with embedded engines.',
    ...bytes,
  }),
  blobGraceSeconds: setting({
    env: 'TOUCHSTONE_BLOB_GRACE_SECONDS',
    otherwise: 3600,
    says:
      'Seconds that the bytes of an attachment are kept after they were uploaded last, although nothing refers to them. ' +
      'Must be longer than an upload takes.',
    ...wholeNumber(1, 30 * 24 * 3600),
  }),
  eraseAfterSeconds: setting({
    env: 'TOUCHSTONE_ERASE_AFTER_SECONDS',
    otherwise: 24 * 3600,
    says:
      'Seconds after a deletion until the analytics store rewrites the files that hold the deleted text. Shorter writes ' +
      'more: a rewrite copies whatever else is in those files.',
    ...wholeNumber(1, 30 * 24 * 3600),
  }),
  maxBytesInFlight: setting({
    env: 'TOUCHSTONE_MAX_BYTES_IN_FLIGHT',
    otherwise: 256 * MiB,
    defaultSays: '`256MB`, less where there is less than 6.5 GB of memory; `8MB` at 512 MB',
    says: 'Bytes of request bodies that all requests together may hold; beyond, 429.',
    ...bytes,
  }),
  maxQuerySeconds: setting({
    env: 'TOUCHSTONE_MAX_QUERY_SECONDS',
    otherwise: 30,
    says: 'Seconds that one query over runs may take; beyond, 400. Readers of share links get 10 at most.',
    ...wholeNumber(1, 3600),
  }),
  maxPartBytes: setting({
    env: 'TOUCHSTONE_MAX_PART_BYTES',
    otherwise: 20 * MiB,
    says: 'Bytes of one part of an ingest body; beyond, 413.',
    ...bytes,
  }),
  maxBodyBytes: setting({
    env: 'TOUCHSTONE_MAX_BODY_BYTES',
    otherwise: 100 * MiB,
    defaultSays: '`100MB`, or all bytes in flight where that is less',
    says: 'Bytes of a whole request body after decompression; beyond, 413.',
    ...bytes,
  }),
  maxAttachmentBytes: setting({
    env: 'TOUCHSTONE_MAX_ATTACHMENT_BYTES',
    otherwise: 20 * MiB,
    says: 'Bytes of one attachment; beyond, 413.',
    ...bytes,
  }),
  bodyGraceMs: setting({
    env: 'TOUCHSTONE_BODY_GRACE_MS',
    otherwise: 30_000,
    says: 'Milliseconds that any request body may take to arrive; after that it has to keep the minimum rate, or gets 408.',
    ...wholeNumber(100, 86_400_000),
  }),
  minBodyRate: setting({
    env: 'TOUCHSTONE_MIN_BODY_RATE',
    otherwise: 8 * 1024,
    defaultSays: '8KB',
    says: 'Bytes per second at which a request body has to arrive on average after its grace period.',
    ...bytes,
  }),
  headersTimeoutMs: setting({
    env: 'TOUCHSTONE_HEADERS_TIMEOUT_MS',
    otherwise: 20_000,
    says: 'Milliseconds that the headers of a request may take to arrive; after that the connection is closed.',
    ...wholeNumber(100, 3_600_000),
  }),
  maxConnections: setting({
    env: 'TOUCHSTONE_MAX_CONNECTIONS',
    otherwise: 10_000,
    says: 'Connections that may be open at once; more are closed as they come.',
    ...wholeNumber(1, 1_000_000),
  }),
  livePort: setting({
    env: 'TOUCHSTONE_LIVE_PORT',
    otherwise: undefined as number | undefined,
    defaultSays: 'none',
    says:
      'Port on which a thread of its own answers `GET /live`: 200 while the event loop turns, 503 once it has been stuck ' +
      'for 10 s. For liveness probes; bound to the same address as the server.',
    ...wholeNumber(1, 65535),
  }),
  stuckAfterMs: setting({
    env: 'TOUCHSTONE_STUCK_AFTER_MS',
    otherwise: 60_000,
    says: 'Milliseconds for which the event loop may be stuck before the process is ended, to be restarted; 0 never ends it.',
    ...wholeNumber(0, 86_400_000),
  }),
  maxWaitingRows: setting({
    env: 'TOUCHSTONE_MAX_WAITING_ROWS',
    otherwise: 20_000,
    says: 'Runs that may wait to be stored; beyond, 429.',
    ...rows,
  }),
  maxWaitingBytes: setting({
    env: 'TOUCHSTONE_MAX_WAITING_BYTES',
    otherwise: 256 * MiB,
    defaultSays: '`256MB`, less where there is less than 6.5 GB of memory; `8MB` at 512 MB',
    says: 'Bytes of runs that may wait to be stored; beyond, 429.',
    ...bytes,
  }),
  groupRows: setting({
    env: 'TOUCHSTONE_GROUP_ROWS',
    otherwise: 2_000,
    says: 'Runs stored by one insert at most.',
    ...rows,
  }),
  groupBytes: setting({
    env: 'TOUCHSTONE_GROUP_BYTES',
    otherwise: 16 * MiB,
    defaultSays: '`16MB`, or a 128th of the memory where that is less',
    says: 'Bytes stored by one insert at most.',
    ...bytes,
  }),
} as const

function readProtocol(text: string): string {
  return URL.canParse(text) ? new URL(text).protocol : ''
}
