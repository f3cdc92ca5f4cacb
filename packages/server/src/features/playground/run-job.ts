import { ApiError, type ModelProblem, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { JobRun } from '../../jobs/open-jobs.ts'
import { callAtPace, type Paces } from '../../models/pace-calls.ts'
import { aProblem } from '../../models/problems.ts'
import type { PlaygroundCallRow, PlaygroundJobRow } from '../../storage/relational/tables/playground.ts'
import { readExamples } from '../datasets/examples/index.ts'
import { readProviderAccess } from '../model-providers/index.ts'
import { selectProjectsById } from '../projects/index.ts'
import { type CallDeps, callVariant, type EndedCall } from './call-variant.ts'
import { leaveJob } from './change-job.ts'
import { FailureStreaks, JobBudget, type JobEnd } from './job-budget.ts'
import {
  type CallPosition,
  type JobRequest,
  type JobSummary,
  listJobVariables,
  type RowValues,
  readRequest,
  readSummary,
  toPosition,
  toRowValues,
  toStableId,
  toValues,
} from './job-request.ts'
import { isFinal, keepCall, type RecordDeps, recordCall } from './record-call.ts'
import type { RenderBudget } from './render-budget.ts'
import { type RenderedCall, renderCall } from './render-call.ts'
import type { JobPart } from './start-job.ts'
import { type Lease, renewLease, selectEndedCalls, selectListedJob, selectUnrecorded, takeLease } from './store.ts'

export type JobDeps = CallDeps &
  RecordDeps &
  Pick<Deps, 'relational' | 'log' | 'clock' | 'ids' | 'caches'> &
  Parameters<typeof readProviderAccess>[0] & {
    /** Id of this process in leases. */
    readonly holder: string
    readonly paces: Paces
    readonly renderBudget: RenderBudget
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
  const work = new JobWork(deps, row, lease, run)
  deps.running.set(id, () => void work.renew())
  const timer = setInterval(() => void work.renew(), RENEW_MS)
  let end: JobEnd | undefined
  let isEnded = false
  try {
    end = await work.finish()
  } finally {
    clearInterval(timer)
    deps.running.delete(id)
    const change = end && { ...end, ended_at: timeOfEpochMs(deps.clock()) }
    isEnded = (await leaveJob(deps, lease, work.activeMs(), change)) !== undefined
  }
  if (isEnded) return false
  run.signal.throwIfAborted()
  // It may have been resumed while its last calls ended.
  const isRunning = async () => (await selectListedJob(deps.relational.db, tenantId, id))?.state === 'RUNNING'
  return end === undefined && (await isRunning())
}

class JobWork {
  readonly #startedAt = performance.now()
  readonly #request: JobRequest
  readonly #summary: JobSummary
  readonly #names: string[]
  /** Aborted when calls must end at once. */
  readonly #cancelled = new AbortController()
  /** Aborted when this process must leave the job: it stops, or another one works on it. Recordings end too. */
  readonly #leaving = new AbortController()
  /** Aborted when no more calls begin; calls that wait for their next try end. */
  readonly #halted = new AbortController()
  #halt: JobEnd | 'paused' | undefined
  readonly #budget: JobBudget
  readonly #streaks = new FailureStreaks()
  readonly #calls = new Set<Promise<void>>()
  readonly #recordings = new Set<Promise<void>>()
  /** Calls without a kept answer. */
  #missing: number
  #current: { readonly row: number; readonly values: RowValues | undefined } | undefined

  constructor(
    readonly deps: JobDeps,
    readonly row: PlaygroundJobRow,
    readonly lease: Lease,
    readonly run: JobRun,
  ) {
    this.#missing = row.total
    this.#request = readRequest(row)
    this.#summary = readSummary(row)
    const { variants, evaluators } = this.#summary
    this.#names = listJobVariables(this.#request.variants).map(({ name }) => name)
    this.#budget = new JobBudget(row.max_cost_usd, variants.length, evaluators.length > 0)
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
      this.deps.log.warn({ err: error, job: this.row.id }, 'the lease of a playground job could not be renewed')
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
        const position = toPosition(number, this.#summary)
        // Read while earlier calls are under way, so that the next one begins when one of them ends.
        const values = await this.#readRow(position.row)
        if (!(await this.#mayBegin(position.variant))) break
        this.#begin(position, values)
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
    if (!this.#leaving.signal.aborted) await this.#recordKept()
    if (this.#halt === 'paused') return undefined
    const isComplete = this.#halt?.state === 'STOPPED' && this.#missing === 0
    return (isComplete ? undefined : this.#halt) ?? { state: 'COMPLETED', reason: null }
  }

  /** Answers that were kept before the process ended, or whose recording failed. */
  async #recordKept(): Promise<void> {
    for (;;) {
      const kept = await selectUnrecorded(this.deps.relational.db, this.lease, this.#summary.concurrency)
      if (kept.length === 0) return
      await Promise.all(kept.map((call) => this.#record(call)))
    }
  }

  async #record(call: PlaygroundCallRow): Promise<void> {
    const { evaluators, variants } = this.#summary
    const { isRefused, cost } = await recordCall(this.deps, call, { evaluators, signal: this.#leaving.signal })
    if (call.problem === null) this.#budget.addJudged(call.variant, cost ?? 0)
    const { experiment_id: id, name } = variants[call.variant] ?? {}
    if (!isRefused || id === undefined || this.#halt !== undefined) return
    const found = await selectProjectsById(this.deps, this.row.tenant_id, [id])
    if (found.size > 0) return
    this.#stop({ state: 'ERROR', reason: `Variant "${name}": its experiment was deleted.` })
  }

  /** Waits until a call of a variant may begin. @returns false when no more calls begin */
  async #mayBegin(variant: number): Promise<boolean> {
    for (;;) {
      this.#stopAtLimit()
      if (this.#halt !== undefined) return false
      const { concurrency } = this.#summary
      const isFull = this.#calls.size >= concurrency || this.#recordings.size >= concurrency * KEPT_PER_CALL
      if (!isFull && this.#budget.isAffordable(variant)) return true
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

  async #readRow(row: number): Promise<RowValues | undefined> {
    if (this.#current?.row === row) return this.#current.values
    const id = this.row.example_ids[row] ?? ''
    const as_of = timeOfEpochMs(this.row.dataset_version.getTime())
    const query = { dataset: this.row.dataset_id, as_of, id: [id], limit: 1 }
    const [example] = await readExamples(this.deps, this.row.tenant_id, query)
    this.#current = { row, values: example && toRowValues(example) }
    return this.#current.values
  }

  #begin(position: CallPosition, values: RowValues | undefined): void {
    const { variant } = position
    this.#budget.begin(variant)
    const call = this.#call(position, values)
      .catch((error: unknown) => {
        this.#stopOn(error, variant)
        return false
      })
      .then((isRecording) => {
        this.#calls.delete(call)
        // Otherwise its recording ends it: judges cost money too.
        if (!isRecording) this.#budget.end(variant)
      })
    this.#calls.add(call)
  }

  /** A provider that is gone or unreadable ends the job; anything else is a failure of the server. */
  #stopOn(error: unknown, variant: number): void {
    if (this.#halt !== undefined) return
    const name = this.#summary.variants[variant]?.name ?? ''
    if (!(error instanceof ApiError)) this.deps.log.error({ err: error, job: this.row.id }, 'a playground job failed')
    const reason = error instanceof ApiError ? error.message : 'The server failed; its log has the reason.'
    this.#stop({ state: 'ERROR', reason: `Variant "${name}": ${reason}` })
  }

  /** @returns whether a recording has begun */
  async #call(position: CallPosition, values: RowValues | undefined): Promise<boolean> {
    const { deps, row } = this
    const { tenant_id: tenantId } = row
    const variant = this.#request.variants[position.variant]
    const experiment = this.#summary.variants[position.variant]
    if (variant === undefined || experiment === undefined) throw new Error('The job has no such variant.')
    const exampleId = row.example_ids[position.row] ?? ''
    const runId = toStableId(row.id, position.variant, exampleId, position.repeat)
    const render = (): RenderedCall =>
      values === undefined
        ? { problem: aProblem('invalid_template', 'The example was deleted.'), variable: null }
        : renderCall(variant, toValues(this.#names, this.#request, values))
    const place = { session_id: experiment.experiment_id, reference_example_id: exampleId }
    const { signal } = this.#cancelled
    const attempt = async () => {
      // Read for each try: a removed provider or key must not be called any longer.
      const access = await readProviderAccess(deps, tenantId, variant.provider_id)
      const planned = { tenantId, runId, variant, ...access, place }
      // Rendered for each try: a call that waits for its provider takes no memory.
      const ended = await deps.renderBudget.hold(this.#halted.signal, render, (rendered) =>
        callVariant(deps, { ...planned, rendered }, { signal }),
      )
      return { ...ended, problem: ended.end.type === 'failed' ? ended.end.problem : null }
    }
    const pace = deps.paces.get(tenantId, variant.provider_id)
    const ended = await callAtPace(pace, this.#halted.signal, attempt)
    // A whole answer was paid for, also when its job was stopped in the meantime.
    if (signal.aborted && ended.problem !== null) return false
    return this.#keep(position, runId, ended, values)
  }

  async #keep(
    { number, variant }: CallPosition,
    runId: string,
    { end, run, problem }: EndedCall & { readonly problem: ModelProblem | null },
    values: RowValues | undefined,
  ): Promise<boolean> {
    const { deps, row } = this
    this.#budget.add(variant, end.cost ?? (problem === null ? 0 : undefined))
    const isJudged = problem === null && values !== undefined && this.#summary.evaluators.length > 0
    const kept = await keepCall(
      deps,
      {
        job_id: row.id,
        tenant_id: row.tenant_id,
        number,
        variant,
        run_id: runId,
        cost: end.cost,
        problem: problem === null ? null : JSON.stringify(problem),
      },
      { run, ...(isJudged && { row: values }) },
      this.#leaving.signal,
    )
    const broken = this.#streaks.count(this.#summary.variants[variant]?.name ?? '', problem)
    if (broken !== undefined) this.#stop(broken)
    this.#missing--
    if (kept === undefined) return false
    const recording = this.#record(kept)
      .catch((error: unknown) => deps.log.warn({ err: error, job: row.id }, 'a call could not be recorded'))
      .finally(() => {
        this.#recordings.delete(recording)
        this.#budget.end(variant)
      })
    this.#recordings.add(recording)
    return true
  }
}
