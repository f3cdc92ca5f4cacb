import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { type SQL, sql } from 'drizzle-orm'
import PgBoss from 'pg-boss'
import type { Logger } from 'pino'
import type { Deps } from '../deps.ts'
import { toRows } from '../storage/relational/migrate.ts'
import type { Database, Relational } from '../storage/relational/port.ts'
import { createDeadlyWork, type DeadlyWork, openProcessDeaths, type ProcessDeaths } from './process-deaths.ts'
import { openTurns } from './turns.ts'
import { type Queue, workQueue } from './work-queue.ts'

/** Work that continues after its request, and after a crash: a job is a row until it is done. */
export interface Jobs {
  /**
   * Registers a kind of work; call it before `start`. The handler may be called again for the same data (after a crash,
   * a stop or a failure), so it must be safe to repeat.
   *
   * @param name  letters, digits, `-`; stored in the database, so never renamed
   */
  define<Data extends object>(name: string, handle: Handler<Data>, options?: JobOptions<Data>): Job<Data>
  /** Creates the tables of the queue; in a worker, begins to work soon after, when the server answers requests. */
  start(): Promise<void>
  /** Aborts running handlers and waits for them; unfinished jobs run after the next start. */
  close(): Promise<void>
}

export type Handler<Data> = (data: Data, run: JobRun) => Promise<void>

export interface JobRun {
  /** The same for each try of a job. */
  readonly id: string
  /** 0 at the first try. */
  readonly retries: number
  readonly isLastTry: boolean
  /** Aborted when the server stops or the time is up; an error of the handler after that is a failed try. */
  readonly signal: AbortSignal
  /**
   * Whether a job of another owner waits whose turn it is: work that can be continued then sends the rest of itself and
   * ends. It is true for one job of a kind at a time. Always false without `fairBy`.
   */
  mustGiveWay(): Promise<boolean>
}

export interface JobOptions<Data = object> {
  /** Member of the data that names what a job works on, also in later jobs. @default the jobs of this kind are one work */
  readonly subject?: keyof Data & string
  /**
   * Called in place of the handler for work during which the process died twice in a row: it stores the reason where users
   * see it. The work does not begin until it is sent with `isFresh`. Without this, the job ends and later ones have one try.
   */
  readonly giveUp?: (data: Data) => Promise<void>
  /** Tries after the first. @default 3 */
  readonly retryLimit?: number
  /** Seconds before the first retry; each later one waits about twice as long. @default 2 */
  readonly retryDelaySeconds?: number
  /** All retries wait equally long, for work that is often interrupted by stops of the server. @default false */
  readonly hasSteadyRetries?: boolean
  /** A longer try counts as failed; long work does a part and sends a job for the rest. @default 300 */
  readonly expireInSeconds?: number
  /** Maximum number of jobs of this kind at once in a process. @default 1 */
  readonly atOnce?: number
  /** Member of the data that names the owner of a job: owners share the places, and take turns. @default in order */
  readonly fairBy?: string
  /**
   * Also runs without `send`, with `{}` as its data, this many seconds after the last time, and after the first start.
   */
  readonly everySeconds?: number
}

export interface SendOptions {
  /** The job is created only if this transaction commits. */
  readonly tx?: Database
  /** @default 0 */
  readonly afterSeconds?: number
  /** Nothing is sent while a job with the same data waits; its id is returned. @default false */
  readonly isUnique?: boolean
  /** A user asks for it: deaths of the process during earlier tries are forgotten. @default false */
  readonly isFresh?: boolean
}

export interface Job<Data extends object> {
  /** @returns the job's id once it is durable (with `tx`: once the transaction has committed) */
  send(data: Data, options?: SendOptions): Promise<string>
  /** Call it after the commit of a transaction in which jobs were sent: they begin at once. @default a moment later */
  begin(): void
}

type JobsDeps = Pick<Deps, 'relational' | 'log'> & { readonly config: Pick<Deps['config'], 'roles'> }

/** An embedded store has one process, which is notified of each job; the interval is a safety net. */
const LOOK_SECONDS = { pglite: 60, postgres: 3 }
const MAINTAIN_SECONDS = { pglite: 3600, postgres: 60 }

/** Opens a pg-boss queue on the relational store of either engine. */
export function openJobs({ relational, log, config }: JobsDeps): Jobs {
  const boss = new PgBoss({
    db: createExecuteSql(relational) as PgBoss.Db,
    schedule: false,
    maintenanceIntervalSeconds: MAINTAIN_SECONDS[relational.engine],
  })
  boss.on('error', (error) => log.error({ err: error }, 'the job queue failed'))
  // Sending a job may start it, and a job must not read with the rights of the request that sent it.
  const outsideRequests = AsyncLocalStorage.snapshot()
  const defined = new Map<string, Defined>()
  const queues = new Map<string, Queue>()
  let beginning: Promise<void> | undefined
  let isBeginning = false
  const closing = new AbortController()
  const deaths = openProcessDeaths(relational, log)
  /** Delays of jobs that were sent before their worker existed. */
  const early: { readonly name: string; readonly ms: number }[] = []

  const send = async (name: string, data: object, sending: SendOptions = {}) => {
    const { tx, afterSeconds = 0, isUnique = false, isFresh = false } = sending
    const { options } = defined.get(name)!
    if (isFresh) await deaths.forget(tx ?? relational.db, { queue: name, subject: readSubject(options, data) })
    const { retryLimit = 3, retryDelaySeconds = 2, hasSteadyRetries = false, expireInSeconds = 300 } = options
    const waiting = isUnique ? await findWaiting(relational, name, data) : undefined
    if (waiting !== undefined) return waiting
    const id = await boss.send(name, data, {
      retryLimit,
      retryDelay: retryDelaySeconds,
      retryBackoff: retryDelaySeconds > 0 && !hasSteadyRetries,
      expireInSeconds,
      ...(afterSeconds > 0 && { startAfter: afterSeconds }),
      ...(tx && { db: createTransactionExecuteSql(tx) as PgBoss.Db }),
    })
    // Inside a transaction the row is not visible yet, and never is after a rollback; `SETTLE_MS` later this is
    // decided.
    const ms = afterSeconds * 1000 + (tx === undefined ? 0 : AFTER_COMMIT_MS)
    if (queues.has(name)) queues.get(name)?.checkIn(ms)
    else if (isBeginning) early.push({ name, ms })
    return id
  }

  return {
    define<Data extends object>(name: string, handle: Handler<Data>, options: JobOptions<Data> = {}) {
      if (defined.has(name)) throw new Error(`The job ${name} is defined twice.`)
      defined.set(name, toDefined(handle, options, outsideRequests))
      return {
        send: async (data: Data, sendOptions?: SendOptions) => (await send(name, data, sendOptions))!,
        begin: () => queues.get(name)?.checkIn(0),
      }
    },

    async start() {
      await inTurn(relational, () => createTables(boss, defined))
      if (!config.roles.includes('worker')) return
      isBeginning = true
      beginning = beginAtLast().then(() => lookBackRegularly(relational, lookWhenDue, log, closing.signal))
    },

    async close() {
      closing.abort()
      await deaths.close().catch((error: unknown) => log.warn({ err: error }, 'jobs under way could not be cleared'))
      await beginning
      await Promise.all([...queues.values()].map((queue) => queue.close()))
      await boss.stop({ graceful: false })
    },
  }

  /** Starts the workers, again after each failure until the server stops. */
  async function beginAtLast() {
    for (let waitMs = 1_000; !closing.signal.aborted; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
      try {
        return await begin()
      } catch (error) {
        log.error({ err: error, waitMs }, 'background jobs could not begin; they are tried again')
        await sleep(waitMs, undefined, { signal: closing.signal }).catch(() => undefined)
      }
    }
  }

  /** Starts the workers that do not work yet. */
  async function begin() {
    if (relational.engine === 'pglite') await recoverFromCrash()
    await deaths.clean()
    for (const [name, { handle, options }] of defined) {
      if (closing.signal.aborted) return
      const { everySeconds, atOnce = 1, fairBy } = options
      const every = everySeconds === undefined ? undefined : () => send(name, {}, { afterSeconds: everySeconds })
      const checkMs = LOOK_SECONDS[relational.engine] * 1000
      const turns = fairBy === undefined ? undefined : openTurns(relational, { name, owner: fairBy, atOnce })
      const unlessDeadly = toDeadlyWork(deaths, log, name, options)
      const queue = { boss, log, name, atOnce, checkMs, handle, before: every, turns, unlessDeadly }
      if (!queues.has(name)) queues.set(name, workQueue(queue))
      if (everySeconds === undefined) continue
      await send(name, {})
      // A job may wait from an earlier start with a longer interval.
      await relational.runScript(
        `update pgboss.job set start_after = least(start_after, now() + interval '${everySeconds} seconds')
         where name = '${name}' and state = 'created'`,
      )
    }
    isBeginning = false
    for (const { name, ms } of early.splice(0)) queues.get(name)?.checkIn(ms)
    await lookWhenDue()
  }

  /** After a crash of the only process, a running job is a failed try: it is retried now and not after its timeout. */
  async function recoverFromCrash() {
    await relational.runScript(`update pgboss.job set started_on = to_timestamp(0) where state = 'active'`)
    await boss.maintain()
  }

  /** Delayed jobs and retries of an earlier process: each is begun on time, those of one second together. */
  async function lookWhenDue() {
    const waiting = (await relational.runScript(
      `select distinct name, greatest(0, ceil(extract(epoch from start_after - now())))::float8 as seconds
       from pgboss.job where state < 'active' and start_after < now() + interval '${LOOK_SECONDS[relational.engine]} seconds'`,
    )) as { name: string; seconds: number }[]
    for (const { name, seconds } of waiting) queues.get(name)?.checkIn(seconds * 1000 + 50)
  }
}

async function createTables(boss: PgBoss, defined: ReadonlyMap<string, Defined>): Promise<void> {
  await boss.start()
  const existing = new Set((await boss.getQueues()).map((queue) => queue.name))
  for (const [name, { options }] of defined) {
    // At most one job that repeats may wait.
    const policy = options.everySeconds === undefined ? 'standard' : 'short'
    if (!existing.has(name)) await boss.createQueue(name, { name, policy })
  }
}

/** A constant: processes that create the tables of the queue take turns. */
const ADVISORY_LOCK = 7_160_322

/** Runs `work` while no other process of the database does: each table of a queue is part of one that all queues share. */
async function inTurn(relational: Relational, work: () => Promise<void>): Promise<void> {
  if (relational.engine === 'pglite') return work()
  await relational.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`)
    await work()
  })
}

/** Brings jobs forward now and each minute, and begins them when they are due. */
async function lookBackRegularly(
  relational: Relational,
  lookWhenDue: () => Promise<void>,
  log: Logger,
  closing: AbortSignal,
): Promise<void> {
  const lookBack = async () => {
    try {
      if (await bringForward(relational)) await lookWhenDue()
    } catch (error) {
      log.warn({ err: error }, 'jobs of the future could not be looked for')
    }
  }
  if (closing.aborted) return
  const timer = setInterval(lookBack, LOOK_BACK_MS).unref()
  closing.addEventListener('abort', () => clearInterval(timer), { once: true })
  await lookBack()
}

/** Times of one database; a job that was created later than now was created before its clock was set back. */
const FUTURE_SECONDS = 5

/**
 * Brings jobs forward that would wait, or count as running, until the clock of the database is where it was before it was set
 * back. Each keeps its delay.
 *
 * @returns whether there were any
 */
async function bringForward({ db }: Relational): Promise<boolean> {
  const noted = sql`greatest(created_on, started_on)`
  const result = await db.execute(sql`
    update pgboss.job
    set start_after = now() + greatest(interval '0', start_after - ${noted}),
      created_on = least(created_on, now()),
      started_on = least(started_on, now())
    where state <= 'active' and ${noted} > now() + make_interval(secs => ${FUTURE_SECONDS})
    returning id`)
  return toRows(result, (row) => row).length > 0
}

/** The id of a job with this data that has not begun. */
async function findWaiting({ db }: Relational, name: string, data: object): Promise<string | undefined> {
  const statement = sql`
    select id from pgboss.job
    where name = ${name} and state < 'active' and data = ${JSON.stringify(data)}::jsonb limit 1`
  const [found] = toRows(await db.execute(statement), (row) => row as { readonly id: string })
  return found?.id
}

const AFTER_COMMIT_MS = 250
const LOOK_BACK_MS = 60_000
const MAX_WAIT_MS = 30_000

interface Defined {
  readonly handle: Handler<object>
  readonly options: Options
}

type Outside = <Result>(work: () => Result) => Result

/** A kind of work with data of any type, which runs outside of requests. */
function toDefined<Data extends object>(handle: Handler<Data>, options: JobOptions<Data>, outside: Outside): Defined {
  const { giveUp, ...others } = options
  return {
    handle: (data, job) => outside(() => handle(data as Data, job)),
    options: { ...others, ...(giveUp && { giveUp: (data) => outside(() => giveUp(data as Data)) }) },
  }
}

/** `JobOptions` of any data. */
interface Options extends Omit<JobOptions, 'subject'> {
  readonly subject?: string
}

function toDeadlyWork(deaths: ProcessDeaths, log: Logger, queue: string, options: Options): DeadlyWork {
  return createDeadlyWork({
    deaths,
    log,
    queue,
    toSubject: (data) => readSubject(options, data),
    giveUp: options.giveUp,
  })
}

/** What a job works on; the same for all jobs of a kind that has no subjects. */
function readSubject({ subject }: Options, data: object): string {
  return subject === undefined ? '' : String((data as Readonly<Record<string, unknown>>)[subject])
}

/** The method that the queue needs of a database. */
interface ExecuteSql {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

/** Runs scripts of several statements unchanged, and single statements with bound values. */
function createExecuteSql(relational: Relational): ExecuteSql {
  return {
    executeSql: (text, values) =>
      values === undefined || values.length === 0
        ? relational.runScript(text).then((rows) => ({ rows }))
        : createTransactionExecuteSql(relational.db).executeSql(text, values),
  }
}

/** Runs single statements inside a transaction. */
function createTransactionExecuteSql(tx: Database): ExecuteSql {
  return {
    executeSql: async (text, values = []) => ({ rows: toRows(await tx.execute(bind(text, values)), (row) => row) }),
  }
}

/**
 * Converts `$1` and the like into Drizzle's parameters, which are numbered in order of appearance. A repeated number
 * must stay the same parameter: PostgreSQL infers its type from all its uses.
 */
function bind(text: string, values: readonly unknown[]): SQL {
  const numbers = new Map<string, number>()
  const chunks = text.split(/\$(\d+)/).map((chunk, index) => {
    if (index % 2 === 0) return sql.raw(chunk)
    const known = numbers.get(chunk)
    if (known !== undefined) return sql.raw(`$${known}`)
    numbers.set(chunk, numbers.size + 1)
    // Drizzle would expand a plain array into a list.
    return sql`${sql.param(values[Number(chunk) - 1])}`
  })
  return sql.join(chunks)
}
