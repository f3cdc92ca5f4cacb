import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { loadChdb } from '../../storage/analytics/load-chdb.ts'

export interface FrontRequest {
  /** Of the session; `default` when the request names none. */
  readonly database: string
  /** As text, as the HTTP interface receives them. */
  readonly settings: Readonly<Record<string, string>>
  /** Name → value in the form of the HTTP interface. */
  readonly params: Readonly<Record<string, string>>
  readonly statement: string
  /** Format of rows for statements that name none. */
  readonly format: string
  /** Rows of an insert, in the format that the statement names. */
  readonly rows: Buffer | undefined
}

export interface FrontEngine {
  run(request: FrontRequest): Promise<Uint8Array>
}

type Session = InstanceType<Awaited<ReturnType<typeof loadChdb>>['Session']>

/** The native functions below the package, which take parameters in the form of the HTTP interface. */
interface Native {
  QueryAsyncConnection(
    connection: unknown,
    statement: string,
    format: string,
    params: Record<string, string>,
  ): Promise<{ readonly bytes: Uint8Array }>
  InsertRawAsyncConnection(connection: unknown, statement: string, rows: Buffer, countsLines: boolean): Promise<unknown>
}

/** Settings of single inserts; a session of their own for each value would be too many. */
const OF_STATEMENT = new Set(['insert_deduplication_token'])

/** Opens chDB for requests with different databases and settings: a session has the ones of the requests that it runs. */
export async function openFrontEngine(directory: string): Promise<FrontEngine> {
  const chdb = await loadChdb()
  const native = loadNative()
  mkdirSync(directory, { recursive: true })
  const idle = new Map<string, Session[]>()

  async function openSession(database: string, settings: [string, string][]): Promise<Session> {
    const session = new chdb.Session(directory)
    for (const [name, value] of settings) await session.queryAsync(`set ${name} = ${printLiteral(value)}`)
    await session.queryAsync(`use ${printName(database)}`)
    return session
  }

  return {
    async run({ database, settings, params, statement, format, rows }) {
      const entries = Object.entries(settings)
      const ofSession = entries.filter(([name]) => !OF_STATEMENT.has(name)).sort()
      const sessions = getOrSet(idle, JSON.stringify([database, ofSession]), () => [])
      const session = sessions.pop() ?? (await openSession(database, ofSession))
      try {
        if (rows !== undefined) {
          const ofStatement = entries.filter(([name]) => OF_STATEMENT.has(name))
          await native.InsertRawAsyncConnection(session.connection, addSettings(statement, ofStatement), rows, false)
          return new Uint8Array()
        }
        const found = await native.QueryAsyncConnection(session.connection, statement, format, { ...params })
        return found.bytes
      } finally {
        sessions.push(session)
      }
    },
  }
}

function loadNative(): Native {
  const require = createRequire(import.meta.url)
  const folder = dirname(require.resolve('chdb/package.json'))
  return require(join(folder, 'dist/loader.js')).loadNative()
}

/** Adds settings before the format of an insert. */
function addSettings(statement: string, settings: readonly [string, string][]): string {
  const list = settings.map(([name, value]) => `${name} = ${printLiteral(value)}`)
  return list.length === 0
    ? statement
    : statement.replace(/\bformat\s+\w+\s*$/i, (format) => `settings ${list} ${format}`)
}

const printLiteral = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
const printName = (name: string) => `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``

function getOrSet<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
}
