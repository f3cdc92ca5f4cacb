import { randomUUID } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import { toRow } from '../storage/relational/migrate.ts'
import type { Database, Relational } from '../storage/relational/port.ts'
import { columns, number } from '../storage/rows.ts'

/**
 * Remembers in the database which work is under way, and so which work was under way when its process died: killed, out of
 * memory, ended by the watchdog or by an uncaught exception. Such work may be the cause, so it is not tried forever. A stop
 * in order (a signal, a deploy) is no death.
 */
export interface ProcessDeaths {
  /** Notes that work begins, unless the process died too often during it. */
  begin(work: Work): Promise<Begun>
  /** Notes that work ended. @param isDone  not when it failed: deaths before count on */
  end(work: Work, isDone: boolean): Promise<void>
  /** A user asks for the work again. */
  forget(db: Database, subject: Subject): Promise<void>
  /** One more death is enough to refuse it again, but it may begin once. */
  allowOnce(subject: Subject): Promise<void>
  /** Removes what nothing asked for in months. */
  clean(): Promise<void>
  /** The process stops: what is under way is interrupted in order. */
  close(): Promise<void>
}

/** What jobs work on. Several jobs, one after the other or by mistake at once, may have the same. */
export interface Subject {
  readonly queue: string
  readonly subject: string
}

export interface Work extends Subject {
  /** Id of the job. */
  readonly job: string
}

export interface Begun {
  readonly mayBegin: boolean
  /** Whether a death was found that was not counted before. */
  readonly isNews: boolean
}

/** Deaths in a row after which work does not begin. */
const MAX_DEATHS = 2
/** Less than the time after which another process takes over work, so that the death is known by then. */
const ALIVE_SECONDS = 20
const RENEW_MS = 5_000
/** Deaths that are further apart have other causes: work may take days. */
const IN_A_ROW_HOURS = 24
const KEPT_DAYS = 90

/** What users read about such work, before what they can do. */
export const DIED_TWICE = 'The server stopped unexpectedly twice while this job was running.'

export function openProcessDeaths({ db, engine, transaction }: Relational, log: Logger): ProcessDeaths {
  const processId = randomUUID()
  const aliveUntil = sql`now() + make_interval(secs => ${ALIVE_SECONDS})`
  // An embedded store has one process, so another one is dead.
  const isDead = engine === 'pglite' ? sql`true` : sql`alive_until < now()`
  let underWay = 0
  let isClosed = false
  /** An uncaught exception also stops the server in order, but the work may be its cause. */
  let isFailing = false
  const noteFailure = () => {
    isFailing = true
  }
  process.on('uncaughtExceptionMonitor', noteFailure)

  const renew = () => {
    if (underWay === 0 || isClosed) return
    db.execute(sql`update jobs_under_way set alive_until = ${aliveUntil} where process = ${processId}`).catch(
      (error: unknown) => log.warn({ err: error }, 'the jobs under way could not be renewed'),
    )
  }
  const timer = engine === 'pglite' ? undefined : setInterval(renew, RENEW_MS).unref()

  return {
    async begin(work) {
      const begun = await transaction(async (tx) => {
        const found = await countRow(
          tx,
          sql`
            with dead as (
              delete from jobs_under_way
              where ${isOf(work)} and process <> ${processId} and ${isDead}
              returning process)
            select count(distinct process)::int as n from dead`,
        )
        if (found > 0) await addDeaths(tx, work, found)
        const deaths = await countRow(
          tx,
          sql`select coalesce(max(deaths), 0)::int as n from job_deaths where ${isOf(work)}`,
        )
        const mayBegin = deaths < MAX_DEATHS
        // While the process stops, its work is about to be interrupted.
        if (mayBegin && !isClosed) {
          await tx.execute(sql`
            insert into jobs_under_way (process, job, queue, subject, alive_until)
            values (${processId}, ${work.job}, ${work.queue}, ${work.subject}, ${aliveUntil})
            on conflict (process, job) do update set alive_until = excluded.alive_until`)
        }
        return { mayBegin, isNews: found > 0 }
      })
      if (begun.mayBegin) underWay++
      return begun
    },

    async end(work, isDone) {
      underWay--
      await db.execute(sql`delete from jobs_under_way where process = ${processId} and job = ${work.job}`)
      if (!isDone) return
      await db.execute(sql`
        delete from job_deaths
        where ${isOf(work)} and not exists (select 1 from jobs_under_way where ${isOf(work)})`)
    },

    async forget(tx, subject) {
      await tx.execute(sql`delete from job_deaths where ${isOf(subject)}`)
    },

    async allowOnce(subject) {
      await db.execute(sql`update job_deaths set deaths = ${MAX_DEATHS - 1} where ${isOf(subject)}`)
    },

    async clean() {
      const isOld = (column: SQL) => sql`${column} < now() - make_interval(days => ${KEPT_DAYS})`
      await db.execute(sql`delete from job_deaths where ${isOld(sql`last_at`)}`)
      await db.execute(sql`delete from jobs_under_way where ${isOld(sql`alive_until`)}`)
    },

    async close() {
      isClosed = true
      clearInterval(timer)
      process.off('uncaughtExceptionMonitor', noteFailure)
      if (isFailing) return
      await db.execute(sql`delete from jobs_under_way where process = ${processId}`)
    },
  }
}

const isOf = ({ queue, subject }: Subject) => sql`queue = ${queue} and subject = ${subject}`

async function addDeaths(tx: Database, { queue, subject }: Subject, deaths: number): Promise<void> {
  await tx.execute(sql`
    insert into job_deaths (queue, subject, deaths, last_at)
    values (${queue}, ${subject}, ${deaths}, now())
    on conflict (queue, subject) do update set
      deaths = excluded.deaths + case
        when job_deaths.last_at < now() - make_interval(hours => ${IN_A_ROW_HOURS}) then 0 else job_deaths.deaths end,
      last_at = excluded.last_at`)
}

const COUNT_ROW = columns({ n: number })

async function countRow(tx: Database, statement: SQL): Promise<number> {
  return toRow(await tx.execute(statement), COUNT_ROW).n
}

/** Does a job by its id and data. */
export type DeadlyWork = (job: string, data: object, work: () => Promise<void>) => Promise<void>

interface Deadly {
  readonly deaths: ProcessDeaths
  readonly log: Logger
  readonly queue: string
  readonly toSubject: (data: object) => string
  readonly giveUp: ((data: object) => Promise<void>) | undefined
}

/** Jobs of a queue, which are given up when the process died too often during them. */
export function createDeadlyWork({ deaths, log, queue, toSubject, giveUp }: Deadly): DeadlyWork {
  return async (job, data, work) => {
    const noted = { queue, subject: toSubject(data), job }
    const { mayBegin, isNews } = await deaths.begin(noted)
    if (mayBegin) {
      let isDone = false
      try {
        await work()
        isDone = true
      } finally {
        await deaths.end(noted, isDone)
      }
      return
    }
    const message = 'the process died twice while this job was running; it is given up'
    if (isNews) log.error({ job: queue, subject: noted.subject }, message)
    if (giveUp === undefined) await deaths.allowOnce(noted)
    else await giveUp(data)
  }
}
