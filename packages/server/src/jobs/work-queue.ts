import { setTimeout as sleep } from 'node:timers/promises'
import type PgBoss from 'pg-boss'
import type { Logger } from 'pino'
import type { Handler } from './open-jobs.ts'
import type { DeadlyWork } from './process-deaths.ts'
import type { Turns } from './turns.ts'

/** A queue with a running worker. */
export interface Queue {
  /** Announces that a job may be due after this many milliseconds. */
  checkIn(ms: number): void
  /** Aborts the running jobs and waits for them. */
  close(): Promise<void>
}

export interface QueueOptions {
  readonly boss: PgBoss
  readonly log: Logger
  readonly name: string
  readonly atOnce: number
  /** Maximum time of sleep without a notification. */
  readonly checkMs: number
  readonly handle: Handler<object>
  /** Called before each job. */
  readonly before: (() => Promise<unknown>) | undefined
  /** Of owners that share the places; undefined when jobs run in their order. */
  readonly turns: Turns | undefined
  /** Does work, or gives it up when the process died too often during it. */
  readonly unlessDeadly: DeadlyWork
}

/** Waits before a failed job is given back again. */
const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 10_000

/**
 * Runs the jobs of one name until it is closed. It sleeps until it is notified of a job: the queue's own workers would
 * poll every few seconds, which wastes power on an idle laptop.
 */
export function workQueue(given: QueueOptions): Queue {
  const { boss, log, name, atOnce, checkMs, handle, before, turns, unlessDeadly } = given
  const stopping = new AbortController()
  const running = new Map<string, Promise<void>>()
  const alarms = new Set<NodeJS.Timeout>()
  let checking: Promise<void> | undefined
  let isNotified = false
  /** The job that must give way, until the next fetch after its end. */
  let givingWay: string | undefined
  let hasGivenWay = false
  let fetches = 0

  const check = () => {
    if (stopping.signal.aborted) return
    isNotified = true
    checking ??= takeJobs()
      .catch((error: unknown) =>
        log.warn({ err: error, job: name }, 'jobs could not be fetched; they are looked for again'),
      )
      .finally(() => {
        checking = undefined
        if (isNotified && running.size < atOnce) check() // notified between the last fetch and this line
      })
  }
  const checkIn = (ms: number) => {
    if (stopping.signal.aborted) return
    if (ms <= 0) return check()
    // Timers are limited to 2^31 ms; the regular fetch finds later jobs.
    if (ms > checkMs) return
    const alarm = setTimeout(() => {
      alarms.delete(alarm)
      check()
    }, ms)
    alarms.add(alarm)
  }

  async function takeJobs() {
    while (isNotified && running.size < atOnce && !stopping.signal.aborted) {
      isNotified = false
      await arrange()
      const jobs = await boss.fetch<object>(name, { batchSize: atOnce - running.size, includeMetadata: true })
      fetches++
      if (hasGivenWay) givingWay = undefined
      hasGivenWay = false
      for (const job of jobs) {
        isNotified = true // there may be another one
        // It timed out, or the clock of the database went forward: it ends or fails when its first try does.
        if (running.has(job.id)) continue
        const run = tryJob(job).finally(() => {
          running.delete(job.id)
          check()
        })
        running.set(job.id, run)
      }
    }
  }

  /** Without it, jobs begin in their order for once. */
  async function arrange() {
    await turns?.arrange().catch((error: unknown) => log.warn({ err: error, job: name }, 'jobs could not take turns'))
  }

  /** One at a time: when several gave way to the same job, places would be free for none. */
  async function mustGiveWay({ id, data }: PgBoss.Job<object>, begunAt: number): Promise<boolean> {
    if (turns === undefined || givingWay !== undefined) return givingWay === id
    const before = fetches
    const isOther = await turns.isOfAnother(data, performance.now() - begunAt)
    if (isOther && fetches === before) givingWay ??= id
    return givingWay === id
  }

  async function tryJob(job: PgBoss.JobWithMetadata<object>) {
    const timeUp = AbortSignal.timeout(Number(job.expireInSeconds) * 1000)
    const signal = AbortSignal.any([stopping.signal, timeUp])
    const begunAt = performance.now()
    try {
      await before?.()
      const isLastTry = job.retryCount >= job.retryLimit
      await unlessDeadly(job.id, job.data, () =>
        handle(job.data, {
          id: job.id,
          retries: job.retryCount,
          isLastTry,
          signal,
          mustGiveWay: () => mustGiveWay(job, begunAt),
        }),
      )
      await boss.complete(name, job.id)
    } catch (error) {
      if (!stopping.signal.aborted) log.warn({ err: error, job: name, id: job.id }, 'a job failed')
      const retryAt = await giveBack(given, job.id, error as Error, stopping.signal)
      if (retryAt !== undefined) checkIn(retryAt.getTime() - Date.now() + 50)
    } finally {
      hasGivenWay ||= givingWay === job.id
    }
  }

  const regular = setInterval(check, checkMs)
  check()
  return {
    checkIn,
    async close() {
      stopping.abort(new Error('The server stops.'))
      clearInterval(regular)
      for (const alarm of alarms) clearTimeout(alarm)
      await checking
      await Promise.all(running.values())
    },
  }
}

/**
 * Ends a failed try. A job that is not given back stays active until its timeout, so this is repeated while the database is
 * away.
 *
 * @returns when the job is tried again
 */
async function giveBack(
  { boss, log, name }: QueueOptions,
  id: string,
  { name: kind, message }: Error,
  stopping: AbortSignal,
): Promise<Date | undefined> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
    try {
      await boss.fail(name, id, { kind, message })
      const again = await boss.getJobById(name, id)
      return again?.state === 'retry' ? new Date(again.startAfter) : undefined
    } catch (error) {
      log.error({ err: error, job: name, id }, 'a failed job could not be given back')
      if (stopping.aborted) return undefined
      await sleep(waitMs, undefined, { signal: stopping }).catch(() => undefined)
    }
  }
}
