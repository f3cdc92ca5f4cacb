import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { SETTINGS, type Setting } from './settings.ts'

/** Everything an operator may decide, parsed once at start. */
export interface Config {
  /** Port to listen on; 0 takes a free one. */
  readonly port: number
  /** Address to bind. */
  readonly host: string
  readonly dataDir: string
  readonly roles: readonly Role[]
  /** Set by `--create-key NAME`: create a key of that name, print it, end. */
  readonly createKey: string | undefined
  /** Needed to set an empty server up; undefined asks for none. */
  readonly setupCode: string | undefined
  /** Origin that users and links reach this server by; undefined means the address it listens on. */
  readonly publicUrl: string | undefined
  /** Folder of the built web UI; undefined serves the API alone. */
  readonly webDir: string | undefined
  readonly postgresUrl: string | undefined
  readonly clickhouseUrl: string | undefined
  /** Private hosts, addresses and networks that the server may call. */
  readonly outboundAllow: readonly string[]
  readonly logLevel: string
  /** Bytes of request bodies held at once by all requests together. */
  readonly maxBytesInFlight: number
  readonly ingest: IngestLimits
  readonly deletion: DeletionTimes
}

export interface DeletionTimes {
  /** Seconds that bytes nothing refers to are kept after they were put last. */
  readonly blobGraceSeconds: number
  /** Seconds after a deletion until files with deleted text are rewritten. */
  readonly eraseAfterSeconds: number
}

export type Role = 'api' | 'worker'

export interface IngestLimits {
  /** Bytes of one part of a multipart body, and of one run's field. */
  readonly maxPartBytes: number
  /** Bytes of a whole request body after decompression. */
  readonly maxBodyBytes: number
  readonly maxAttachmentBytes: number
  /** Rows and bytes that may wait to be stored; beyond, 429. */
  readonly maxWaitingRows: number
  readonly maxWaitingBytes: number
  /** Rows and bytes of one insert. */
  readonly groupRows: number
  readonly groupBytes: number
}

/** What is wrong with flags and environment, all of it, one line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Reads flags and environment; a flag wins over its variable.
 *
 * @throws ConfigError naming every mistake at once
 */
export function readConfig(argv: readonly string[], env: NodeJS.ProcessEnv): Config {
  const mistakes: string[] = []
  const flags = readFlags(argv, mistakes)
  const read = <Value>(setting: Setting<Value>): Value => {
    const flag = setting.flag && flags[setting.flag]
    const text = flag ?? env[setting.env]
    if (text === undefined || text === '') return setting.otherwise
    const value = setting.parse(text)
    if (value !== undefined) return value
    mistakes.push(
      `${flag === undefined ? setting.env : `--${setting.flag}`} must be ${setting.expects}, not "${text}".`,
    )
    return setting.otherwise
  }
  const config: Config = {
    port: read(SETTINGS.port),
    host: read(SETTINGS.host),
    dataDir: resolve(read(SETTINGS.dataDir) ?? join(homedir(), '.touchstone')),
    roles: read(SETTINGS.roles),
    createKey: flags['create-key'],
    setupCode: read(SETTINGS.setupCode),
    publicUrl: read(SETTINGS.publicUrl),
    webDir: read(SETTINGS.webDir),
    postgresUrl: read(SETTINGS.postgresUrl),
    clickhouseUrl: read(SETTINGS.clickhouseUrl),
    outboundAllow: read(SETTINGS.outboundAllow),
    logLevel: read(SETTINGS.logLevel),
    maxBytesInFlight: read(SETTINGS.maxBytesInFlight),
    ingest: {
      maxPartBytes: read(SETTINGS.maxPartBytes),
      maxBodyBytes: read(SETTINGS.maxBodyBytes),
      maxAttachmentBytes: read(SETTINGS.maxAttachmentBytes),
      maxWaitingRows: read(SETTINGS.maxWaitingRows),
      maxWaitingBytes: read(SETTINGS.maxWaitingBytes),
      groupRows: read(SETTINGS.groupRows),
      groupBytes: read(SETTINGS.groupBytes),
    },
    deletion: {
      blobGraceSeconds: read(SETTINGS.blobGraceSeconds),
      eraseAfterSeconds: read(SETTINGS.eraseAfterSeconds),
    },
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'))
  return config
}

function readFlags(argv: readonly string[], mistakes: string[]): Record<string, string | undefined> {
  const names = [...Object.values(SETTINGS).flatMap((setting) => setting.flag ?? []), 'create-key']
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  const { values, tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true })
  for (const token of tokens) {
    if (token.kind === 'positional') mistakes.push(`"${token.value}" is not a flag.`)
    if (token.kind !== 'option') continue
    if (!names.includes(token.name)) mistakes.push(`--${token.name} is not known. Known: --${names.join(', --')}.`)
    else if (!token.value) mistakes.push(`--${token.name} needs a value.`)
  }
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, asText(value)]))
}

const asText = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
