import type PgBoss from 'pg-boss'
import type { Logger } from 'pino'
import type { Handler } from './open-jobs.ts'

/** A queue that is being worked on. */
export interface Queue {
  /** Something may be due in so many milliseconds. */
  lookIn(ms: number): void
  /** Aborts what runs and waits for it. */
  close(): Promise<void>
}

export interface QueueOptions {
  readonly boss: PgBoss
  readonly log: Logger
  readonly name: string
  readonly atOnce: number
  /** How long it may sleep without being told of a job. */
  readonly lookMs: number
  readonly handle: Handler<object>
  /** Done before each job. */
  readonly before: (() => Promise<unknown>) | undefined
}

/**
 * Takes jobs of one name until it is closed. It sleeps until somebody says that a job is due: the queue's own workers
 * would ask every few seconds, which an idle laptop need not do.
 */
export function workQueue({ boss, log, name, atOnce, lookMs, handle, before }: QueueOptions): Queue {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  const alarms = new Set<NodeJS.Timeout>()
  let looking: Promise<void> | undefined
  let isTold = false

  const look = () => {
    if (stopping.signal.aborted) return
    isTold = true
    looking ??= takeJobs().finally(() => {
      looking = undefined
      if (isTold && running.size < atOnce) look() // told in the moment between the last look and this line
    })
  }
  const lookIn = (ms: number) => {
    if (stopping.signal.aborted) return
    if (ms <= 0) return look()
    // Timers count to 2^31; nothing that far away needs one, the regular look finds it.
    if (ms > lookMs) return
    const alarm = setTimeout(() => {
      alarms.delete(alarm)
      look()
    }, ms)
    alarms.add(alarm)
  }

  async function takeJobs() {
    while (isTold && running.size < atOnce && !stopping.signal.aborted) {
      isTold = false
      const jobs = await boss.fetch<object>(name, { batchSize: atOnce - running.size, includeMetadata: true })
      for (const job of jobs) {
        isTold = true // where one was, another may be
        const run = tryJob(job).finally(() => {
          running.delete(run)
          look()
        })
        running.add(run)
      }
    }
  }

  async function tryJob(job: PgBoss.JobWithMetadata<object>) {
    const timeUp = AbortSignal.timeout(Number(job.expireInSeconds) * 1000)
    const signal = AbortSignal.any([stopping.signal, timeUp])
    try {
      await before?.()
      const isLastTry = job.retryCount >= job.retryLimit
      await handle(job.data, { id: job.id, retries: job.retryCount, isLastTry, signal })
      await boss.complete(name, job.id)
    } catch (error) {
      if (!stopping.signal.aborted) log.warn({ err: error, job: name, id: job.id }, 'a job failed')
      await giveBack(job.id, error as Error)
    }
  }

  async function giveBack(id: string, { name: kind, message }: Error) {
    try {
      await boss.fail(name, id, { kind, message })
      const again = await boss.getJobById(name, id)
      if (again?.state === 'retry') lookIn(new Date(again.startAfter).getTime() - Date.now() + 50)
    } catch (error) {
      // It stays active until its time is up, and is tried then.
      log.error({ err: error, job: name, id }, 'a failed job could not be given back')
    }
  }

  const regular = setInterval(look, lookMs)
  look()
  return {
    lookIn,
    async close() {
      stopping.abort(new Error('The server stops.'))
      clearInterval(regular)
      for (const alarm of alarms) clearTimeout(alarm)
      await looking
      await Promise.all(running)
    },
  }
}
