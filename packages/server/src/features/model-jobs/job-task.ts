import type { ModelCallRow } from '../../storage/relational/tables/model-jobs.ts'
import type { CallProblem, JobEnd } from './job-budget.ts'

/**
 * What a job does. Everything else is the same for all jobs: the order, calls at once, limits, pauses, leases, and that an
 * answer which was kept is not asked for again.
 */
export interface JobTask<Row> {
  /** What calls belong to, as messages name it: a variant or an experiment. Costs and failures are counted by lane. */
  readonly lanes: readonly string[]
  /** Most calls at once. */
  readonly concurrency: number
  /** Whether recording an answer costs money. */
  readonly isJudged: boolean
  toLane(number: number): number
  /** What the call of this number needs, read while earlier calls are under way. */
  read(number: number): Promise<Row>
  /** @throws ApiError when no call of the lane can succeed; when it is halted while it waits */
  call(number: number, row: Row, signals: CallSignals): Promise<MadeCall>
  /** Records a kept answer; may be repeated. @throws ApiError when a store does not answer */
  record(call: ModelCallRow, signal: AbortSignal): Promise<RecordedCall>
}

export interface CallSignals {
  /** Ends calls. */
  readonly cancelled: AbortSignal
  /** Ends the waiting for the next try. */
  readonly halted: AbortSignal
}

/** A call that ended, after all its tries. */
export interface MadeCall {
  readonly runId: string
  /** US dollars; null for unknown. */
  readonly cost: number | null
  readonly problem: CallProblem | null
  /** The problem is one of this row, and tells nothing about the next. */
  readonly isOfRow: boolean
  /** What is recorded; kept as JSON. */
  readonly answer: object
}

export interface RecordedCall {
  /** US dollars of the recording; null for unknown. */
  readonly cost: number | null
  /** How the job ends, because no other answer can be recorded, or why it pauses; this one is then recorded later. */
  readonly end?: JobEnd | undefined
}
