import { type ChildProcess, fork } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MemoryPlan } from '../../../config.ts'
import { columns, text as string } from '../../rows.ts'
import type { Analytics, EngineSettings, StatementLimits, Table } from '../port.ts'
import { type Sql, sql, texts } from '../sql.ts'
import { PartGoneError, type SourceTable } from './linked-tables.ts'
import type { StatementFailure, StatementMessage, StatementTask } from './messages.ts'

/** Milliseconds after its time at which the process of a statement is ended: the engine looks at the time between blocks. */
const GRACE_MS = 2_000
/** Milliseconds in which the process starts and links the tables, on a busy machine. */
const START_MS = 60_000
/** Milliseconds without a statement after which the process is ended, to give its memory back. */
const IDLE_MS = 60_000
/** How often parts are listed again that were merged and removed meanwhile. */
const MAX_LISTINGS = 3

interface Running {
  readonly settle: (message: StatementMessage | { readonly ended: string }) => void
  readonly started: () => void
}

/**
 * Runs statements of users, one at a time, in a process of its own that is ended with SIGKILL when a statement does not
 * end: the engine cannot be interrupted inside of a call, and all reads of the server would wait for it. The process has a
 * directory of its own, with hard links to the parts of the tables as they are when a statement begins.
 *
 * @see docs/decisions/0091-statements-run-in-a-process.md
 */
export class StatementProcess {
  /** Each process has a folder of its own in it: one that was killed may still be ending. */
  readonly #directory: string
  #child: ChildProcess | undefined
  #running: Running | undefined
  #idle: NodeJS.Timeout | undefined
  #last: Promise<unknown> = Promise.resolve()
  #nextId = 0
  #starts = 0
  #isClosed = false

  /** @param directory  of the engine; that of the process is beside it */
  constructor(
    private readonly engine: Pick<Analytics, 'query'>,
    directory: string,
    private readonly memory: MemoryPlan | undefined,
  ) {
    this.#directory = `${resolve(directory)}${SUFFIX}`
    removeFolder(this.#directory)
  }

  /**
   * @throws Error with the engine's `code`: that of a time-out when the process was ended, and that of missing memory when
   *   the system ended it
   */
  run(statement: Sql, settings: EngineSettings, limits: StatementLimits): Promise<Table> {
    const turn = this.#last.then(() => this.#run(statement, settings, limits))
    this.#last = turn.catch(() => {})
    return turn
  }

  /** Ends the process, also while a statement runs. */
  close(): void {
    this.#isClosed = true
    this.#end()
    removeFolder(this.#directory)
  }

  async #run({ text, params }: Sql, settings: EngineSettings, limits: StatementLimits): Promise<Table> {
    for (let listings = 1; ; listings++) {
      const tables = await this.#listTables(limits.tables)
      if (this.#isClosed) throw toError({ name: 'Error', message: 'the server stops' })
      const task = { id: this.#nextId++, tables, text, params: { ...params }, settings }
      const message = await this.#send(task, limits.seconds)
      if ('table' in message) return message.table
      if (message.failure.name !== PartGoneError.name || listings === MAX_LISTINGS) throw toError(message.failure)
    }
  }

  /** The parts that are active now. Everything that was acknowledged before is in them. */
  async #listTables(names: readonly string[]): Promise<SourceTable[]> {
    if (names.length === 0) return []
    const listed = await this.engine.query(
      sql`
        select t.name as name, t.create_table_query as create, p.name as part, p.path as path
        from system.tables as t
        left join (
          select table, name, path from system.parts where database = currentDatabase() and active
        ) as p on p.table = t.name
        where t.database = currentDatabase() and t.name in ${texts(names)}`,
      columns({ name: string, create: string, part: string, path: string }),
    )
    const tables = new Map<string, SourceTable & { readonly parts: { name: string; path: string }[] }>()
    for (const { name, create, part, path } of listed) {
      const table = tables.get(name) ?? { name, create, parts: [] }
      tables.set(name, table)
      if (part !== '') table.parts.push({ name: part, path })
    }
    return [...tables.values()]
  }

  async #send(task: StatementTask, seconds: number) {
    clearTimeout(this.#idle)
    const child = this.#start()
    let alarm: NodeJS.Timeout | undefined
    const message = await new Promise<Parameters<Running['settle']>[0]>((settle) => {
      const endAfter = (ms: number, ended: string) => {
        clearTimeout(alarm)
        alarm = setTimeout(() => {
          settle({ ended })
          this.#end()
        }, ms)
      }
      endAfter(START_MS, 'start')
      this.#running = { settle, started: () => endAfter(seconds * 1000 + GRACE_MS, 'time') }
      child.send(task, (error) => error && settle({ ended: error.message }))
    })
    clearTimeout(alarm)
    this.#running = undefined
    if (!this.#isClosed) this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref()
    if ('ended' in message) throw toError(explainEnd(message.ended))
    if ('started' in message) throw new Error('a statement cannot settle by its start')
    return message
  }

  #start(): ChildProcess {
    if (this.#child !== undefined) return this.#child
    // What a killed process left is not read again: it may be half of a change.
    const directory = join(this.#directory, String(this.#starts++))
    mkdirSync(directory, { recursive: true })
    const child = fork(childFile(), [directory, JSON.stringify(planOfProcess(this.memory))], {
      execArgv: [...NODE_ARGUMENTS, ...(IS_SOURCE ? SOURCE_ARGUMENTS : [])],
      env: environment(),
      cwd: dirname(childFile()),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#child = child
    const isCurrent = () => this.#child === child
    child.on('message', (message: StatementMessage) => {
      if (!isCurrent()) return
      if ('started' in message) this.#running?.started()
      else this.#running?.settle(message)
    })
    child.on('error', (error) => isCurrent() && this.#running?.settle({ ended: error.message }))
    child.on('exit', (code, signal) => {
      removeFolder(directory)
      if (!isCurrent()) return
      this.#child = undefined
      this.#running?.settle({ ended: signal ?? `exit code ${code}` })
    })
    // An idle process does not keep the server from stopping.
    child.unref()
    child.channel?.unref()
    return child
  }

  #end(): void {
    clearTimeout(this.#idle)
    const child = this.#child
    this.#child = undefined
    child?.kill('SIGKILL')
    this.#running?.settle({ ended: 'the server stops' })
  }
}

/** What cannot be removed now is removed at the next start. */
function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // A process that is ending may have written into it.
  }
}

/** The directory of the process is beside that of the engine: hard links need the same file system. */
const SUFFIX = '-statements'

const IS_SOURCE = import.meta.url.endsWith('.ts')
/** A ceiling: rows of an answer are held as texts. */
const NODE_ARGUMENTS = ['--max-old-space-size=256']
const SOURCE_ARGUMENTS = ['--conditions=touchstone:source', '--import=tsx']

/** The process is a separate file beside this one in the sources; the build puts shared code into `chunks/`. */
function childFile(): string {
  const root = import.meta.url.replace(/\/chunks\/[^/]*$/, '/index.js')
  return fileURLToPath(new URL(IS_SOURCE ? './statement-child.ts' : './statement-child.js', root))
}

/** Without the settings of the server, which have its passwords. One thread of the pool runs the statement. */
function environment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH']
  return {
    ...Object.fromEntries(kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))),
    UV_THREADPOOL_SIZE: '2',
  }
}

function planOfProcess(memory: MemoryPlan | undefined): Partial<MemoryPlan> {
  if (memory === undefined) return {}
  const { statementBytes, analyticsCacheBytes } = memory
  return { analyticsBytes: statementBytes, analyticsCacheBytes: Math.min(analyticsCacheBytes, CACHE_BYTES) }
}

const CACHE_BYTES = 16 * 1024 * 1024

/** Error codes of the engine. */
const TIMEOUT_EXCEEDED = '159'
const MEMORY_LIMIT_EXCEEDED = '241'
const ABORTED = '236'

function explainEnd(ended: string): StatementFailure {
  const name = 'StatementEndedError'
  if (ended === 'time') return { name, message: 'the process of the statement was ended', code: TIMEOUT_EXCEEDED }
  if (ended === 'start') {
    return { name, message: `the process of the statement did not start within ${START_MS / 1000} s` }
  }
  // The system ends it when memory runs out.
  if (ended === 'SIGKILL')
    return { name, message: 'the process of the statement was ended', code: MEMORY_LIMIT_EXCEEDED }
  return { name, message: `the process of the statement ended (${ended})`, code: ABORTED, type: 'ABORTED' }
}

function toError({ name, message, code, type }: StatementFailure): Error {
  return Object.assign(new Error(message), {
    name,
    ...(code !== undefined && { code }),
    ...(type !== undefined && { type }),
  })
}
