import { ApiError, ERRORS, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { JobRun } from '../../jobs/open-jobs.ts'
import type { ModelCallRow, ModelJobRow } from '../../storage/relational/tables/model-jobs.ts'
import { isFullDisk, isLostConnection } from '../../storage/unavailable-store.ts'
import { type JobPart, leaveJob } from './change-job.ts'
import { aPause, FailureStreaks, JobBudget, type JobEnd } from './job-budget.ts'
import { getKind, type JobKinds } from './job-kind.ts'
import type { JobTask, MadeCall } from './job-task.ts'
import { isFinal, keepCall } from './record-call.ts'
import {
  type Lease,
  pauseWithReason,
  renewLease,
  selectEndedCalls,
  selectListedJob,
  selectUnrecorded,
  takeLease,
} from './store.ts'

export type JobDeps = Pick<Deps, 'relational' | 'log' | 'clock'> & {
  readonly kinds: JobKinds
  /** Id of this process in leases. */
  readonly holder: string
  /** Jobs of this process; each is called when its state changes. */
  readonly running: Map<string, () => void>
}

const RENEW_MS = 2_000
/** Answers that wait for their recording, for each call at once. */
const KEPT_PER_CALL = 2

/**
 * Works on a job until it ends, is paused or stopped, or the server stops. Of a job that does not run, it records what was
 * left unrecorded.
 *
 * @returns whether another turn is needed
 */
export async function runJob(deps: JobDeps, { jobId: id, tenantId }: JobPart, run: JobRun): Promise<boolean> {
  const lease = { tenantId, id, holder: deps.holder }
  const row = await takeLease(deps.relational, lease)
  if (row === undefined) return false
  const work = new JobWork(deps, getKind(deps.kinds, row.kind).open(row), row, lease, run)
  deps.running.set(id, () => void work.renew())
  const timer = setInterval(() => void work.renew(), RENEW_MS)
  let end: JobEnd | undefined
  let isEnded = false
  try {
    end = await work.finish()
  } finally {
    clearInterval(timer)
    deps.running.delete(id)
    const change = end && end.state !== 'PAUSED' ? { ...end, ended_at: timeOfEpochMs(deps.clock()) } : undefined
    isEnded = (await leaveJob(deps, lease, work.activeMs(), change)) !== undefined
  }
  if (isEnded) return false
  if (end?.state === 'PAUSED') {
    await pauseWithReason(deps.relational.db, lease, end.reason ?? '')
    return false
  }
  run.signal.throwIfAborted()
  // It may have been resumed while its last calls ended.
  const isRunning = async () =>
    (await selectListedJob(deps.relational.db, { kind: row.kind, tenantId, id }))?.state === 'RUNNING'
  return end === undefined && (await isRunning())
}

/** Whether a failure of the stores ends without anybody's doing, or with that of an operator. */
function isPassing(error: unknown): boolean {
  return isFullDisk(error) || isLostConnection(error) || (error instanceof ApiError && ERRORS[error.code].retry)
}

class JobWork<Row> {
  readonly #startedAt = performance.now()
  /** Aborted when calls must end at once. */
  readonly #cancelled = new AbortController()
  /** Aborted when this process must leave the job: it stops, or another one works on it. Recordings end too. */
  readonly #leaving = new AbortController()
  /** Aborted when no more calls begin; calls that wait for their next try end. */
  readonly #halted = new AbortController()
  readonly #signals = { cancelled: this.#cancelled.signal, halted: this.#halted.signal }
  #halt: JobEnd | 'paused' | undefined
  /** Why the job goes on later: a store is away. */
  #interruption: unknown
  readonly #budget: JobBudget
  readonly #streaks = new FailureStreaks()
  readonly #calls = new Set<Promise<void>>()
  readonly #recordings = new Set<Promise<void>>()
  /** Calls without a kept answer. */
  #missing: number

  constructor(
    readonly deps: JobDeps,
    readonly task: JobTask<Row>,
    readonly row: ModelJobRow,
    readonly lease: Lease,
    readonly run: JobRun,
  ) {
    this.#missing = row.total
    this.#budget = new JobBudget(row.max_cost_usd, task.lanes.length, task.isJudged)
    if (row.state !== 'RUNNING') this.#cancel()
    run.signal.addEventListener('abort', () => this.#leave(), { once: true })
    if (run.signal.aborted) this.#leave()
  }

  #stop(halt: JobEnd | 'paused'): void {
    this.#halt ??= halt
    this.#halted.abort()
  }

  #cancel(): void {
    this.#stop('paused')
    this.#cancelled.abort()
  }

  #leave(): void {
    this.#cancel()
    this.#leaving.abort()
  }

  activeMs(): number {
    return this.row.active_ms + Math.round(performance.now() - this.#startedAt)
  }

  /** Keeps the lease, and notices a pause, a stop, the turn of another workspace, and a limit that is reached while no call ends. */
  async renew(): Promise<void> {
    try {
      const state = await renewLease(this.deps.relational.db, this.lease, this.activeMs())
      if (state === undefined) this.#leave()
      else if (state === 'PAUSED') this.#stop('paused')
      else if (state !== 'RUNNING') this.#cancel()
      else if (await this.run.mustGiveWay()) this.#stop('paused')
      else this.#stopAtLimit()
    } catch (error) {
      this.deps.log.warn({ err: error, job: this.row.id }, 'the lease of a job could not be renewed')
    }
  }

  /** Makes the calls that have not ended. @returns how the job ended; undefined when it has not */
  async finish(): Promise<JobEnd | undefined> {
    const { db } = this.deps.relational
    await this.#recordKept()
    const ended = await selectEndedCalls(db, this.lease)
    this.#budget.addSpent(ended.reduce((sum, { cost, judge_cost }) => sum + (cost ?? 0) + (judge_cost ?? 0), 0))
    const isEnded = new Set(ended.map(({ number }) => number))
    this.#missing = this.row.total - isEnded.size
    try {
      for (let number = 0; number < this.row.total; number++) {
        if (isEnded.has(number)) continue
        // Read while earlier calls are under way, so that the next one begins when one of them ends.
        const row = await this.task.read(number)
        if (!(await this.#mayBegin(this.task.toLane(number)))) break
        this.#begin(number, row)
      }
      await Promise.all(this.#calls)
    } catch (error) {
      // A deleted dataset, for example: another turn would fail too.
      if (isFinal(error)) this.#stop({ state: 'ERROR', reason: error.message })
      else this.#cancel()
      await Promise.allSettled(this.#calls)
      if (!isFinal(error)) throw error
    } finally {
      await Promise.allSettled(this.#recordings)
    }
    if (this.#interruption !== undefined) throw this.#interruption
    if (!this.#leaving.signal.aborted) await this.#recordKept()
    if (this.#halt === 'paused') return undefined
    const isComplete = this.#halt?.state === 'STOPPED' && this.#missing === 0
    return (isComplete ? undefined : this.#halt) ?? { state: 'COMPLETED', reason: null }
  }

  /** Answers that were kept before the process ended, or whose recording failed. */
  async #recordKept(): Promise<void> {
    for (;;) {
      const kept = await selectUnrecorded(this.deps.relational.db, this.lease, this.task.concurrency)
      if (kept.length === 0) return
      const ends = await Promise.all(kept.map((call) => this.#record(call)))
      // They stay unrecorded until the job is resumed.
      if (ends.some((end) => end?.state === 'PAUSED')) return
    }
  }

  async #record(call: ModelCallRow): Promise<JobEnd | undefined> {
    const { cost, end } = await this.task.record(call, this.#leaving.signal)
    if (call.problem === null) this.#budget.addJudged(call.variant, cost ?? 0)
    if (end !== undefined) this.#stop(end)
    return end
  }

  /** Waits until a call of a lane may begin. @returns false when no more calls begin */
  async #mayBegin(lane: number): Promise<boolean> {
    for (;;) {
      this.#stopAtLimit()
      if (this.#halt !== undefined) return false
      const { concurrency } = this.task
      const isFull = this.#calls.size >= concurrency || this.#recordings.size >= concurrency * KEPT_PER_CALL
      if (!isFull && this.#budget.isAffordable(lane)) return true
      await Promise.race([...this.#calls, ...this.#recordings])
    }
  }

  #stopAtLimit(): void {
    const limit = this.#budget.findLimit() ?? this.#findTimeLimit()
    if (limit !== undefined && this.#missing > 0) this.#stop(limit)
  }

  #findTimeLimit(): JobEnd | undefined {
    const { max_seconds: maxSeconds } = this.row
    if (maxSeconds === null || this.activeMs() < maxSeconds * 1000) return undefined
    return { state: 'STOPPED', reason: `The limit of ${maxSeconds} seconds is reached.` }
  }

  #begin(number: number, row: Row): void {
    const lane = this.task.toLane(number)
    this.#budget.begin(lane)
    const call = this.#call(number, row)
      .catch((error: unknown) => {
        this.#stopOn(error, lane)
        return false
      })
      .then((isRecording) => {
        this.#calls.delete(call)
        // Otherwise its recording ends it: judges cost money too.
        if (!isRecording) this.#budget.end(lane)
      })
    this.#calls.add(call)
  }

  /**
   * A provider that is gone or unreadable ends the job, a monthly limit pauses it, and a store that is away interrupts it;
   * anything else is a failure of the server.
   */
  #stopOn(error: unknown, lane: number): void {
    if (this.#halt !== undefined) return
    if (isPassing(error)) {
      this.#interruption ??= error
      this.#stop('paused')
      return
    }
    if (error instanceof ApiError && error.code === 'SPENDING_LIMIT') {
      this.#stop(aPause(error.message))
      return
    }
    if (!(error instanceof ApiError)) this.deps.log.error({ err: error, job: this.row.id }, 'a job failed')
    const reason = error instanceof ApiError ? error.message : 'The server failed; its log has the reason.'
    this.#stop({ state: 'ERROR', reason: `${this.task.lanes[lane]}: ${reason}` })
  }

  /** @returns whether a recording has begun */
  async #call(number: number, row: Row): Promise<boolean> {
    const made = await this.task.call(number, row, this.#signals)
    // A whole answer was paid for, also when its job was stopped in the meantime.
    if (this.#cancelled.signal.aborted && made.problem !== null) return false
    return this.#keep(number, made)
  }

  async #keep(number: number, { runId, cost, problem, isOfRow, answer }: MadeCall): Promise<boolean> {
    const { deps, row, task } = this
    const lane = task.toLane(number)
    this.#budget.add(lane, cost ?? (problem === null ? 0 : undefined))
    const call = {
      job_id: row.id,
      tenant_id: row.tenant_id,
      number,
      variant: lane,
      run_id: runId,
      cost,
      problem: problem === null ? null : JSON.stringify(problem),
    }
    const kept = await keepCall(deps, call, answer, this.#leaving.signal)
    const broken = isOfRow ? undefined : this.#streaks.count(task.lanes[lane] ?? '', problem)
    if (broken !== undefined) this.#stop(broken)
    this.#missing--
    if (kept === undefined) return false
    const recording = this.#record(kept)
      .then(() => undefined)
      .catch((error: unknown) => deps.log.warn({ err: error, job: row.id }, 'a call could not be recorded'))
      .finally(() => {
        this.#recordings.delete(recording)
        this.#budget.end(lane)
      })
    this.#recordings.add(recording)
    return true
  }
}
