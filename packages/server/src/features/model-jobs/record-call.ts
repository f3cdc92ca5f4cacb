import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, ERRORS, toStorable } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { ModelCallRow } from '../../storage/relational/tables/model-jobs.ts'
import { insertCall, markRecorded } from './store.ts'

export type RecordDeps = Pick<Deps, 'relational' | 'log'>

/**
 * Keeps a call that ended; from now on it is not made again. It was paid for, so a database that fails for a moment is
 * asked again.
 *
 * @param signal  ends the waiting between the tries
 * @param firstWaitMs  before the second try; each later one waits twice as long
 * @returns undefined when another process has kept its own answer of the same call, which it also records
 */
export async function keepCall(
  deps: RecordDeps,
  call: Omit<ModelCallRow, 'answer' | 'evaluator_error' | 'judge_cost'>,
  answer: object,
  signal: AbortSignal,
  firstWaitMs = FIRST_WAIT_MS,
): Promise<ModelCallRow | undefined> {
  const row = { ...call, judge_cost: null, evaluator_error: null, answer: JSON.stringify(answer) }
  for (let tries = 1; ; tries++) {
    try {
      return (await insertCall(deps.relational.db, row)) ? row : undefined
    } catch (error) {
      if (tries === MAX_TRIES || signal.aborted) throw error
      deps.log.warn({ err: error, job: call.job_id, tries }, 'an answer could not be kept')
    }
    await sleep(firstWaitMs * 2 ** (tries - 1), undefined, { signal })
  }
}

/** Whether a failure is an answer: the same work would fail again. */
export const isFinal = (error: unknown): error is ApiError => error instanceof ApiError && !ERRORS[error.code].retry

/** Tries of what fails for no reason that passes. */
const MAX_TRIES = 5
const FIRST_WAIT_MS = 500

export interface RecordOptions {
  /** Records what was kept. */
  readonly record: (answer: unknown) => Promise<Recording>
  readonly signal: AbortSignal
  /** Milliseconds before the second try; each later one waits twice as long. @default 500 */
  readonly firstWaitMs?: number
}

/**
 * Records what was kept of a call. All ids are derived from the call, so that it may be repeated. A recording that can never
 * succeed must not hold up the job: its failure is stored instead.
 *
 * @throws ApiError when a store does not answer
 */
export async function recordCall(deps: RecordDeps, call: ModelCallRow, options: RecordOptions): Promise<Recorded> {
  const { signal, firstWaitMs = FIRST_WAIT_MS } = options
  for (let tries = 1; ; tries++) {
    try {
      return await recordOnce(deps, call, options)
    } catch (error) {
      if (error instanceof ApiError || signal.aborted) throw error
      deps.log.warn({ err: error, job: call.job_id, tries }, 'a call could not be recorded')
      if (tries === MAX_TRIES) {
        const error = 'The run could not be recorded: the server failed; its log has the reason.'
        return endRecording(deps, call, { isRefused: false, errors: [error], cost: null })
      }
    }
    await sleep(firstWaitMs * 2 ** (tries - 1), undefined, { signal })
  }
}

async function recordOnce(deps: RecordDeps, call: ModelCallRow, options: RecordOptions): Promise<Recorded> {
  if (call.answer === null) return { isRefused: false, cost: null }
  let recording: Recording
  try {
    recording = await options.record(JSON.parse(call.answer))
  } catch (error) {
    if (!isFinal(error)) throw error
    recording = { isRefused: true, errors: [`The run could not be recorded: ${error.message}`], cost: null }
  }
  // The answer stays kept.
  if (recording.overLimit !== undefined) return recording
  return endRecording(deps, call, recording)
}

/** What became of a recording. */
export interface Recorded {
  /** The run was refused, for example because its experiment was deleted. */
  readonly isRefused: boolean
  /** US dollars of the judges; null for unknown. */
  readonly cost: number | null
  /** The monthly limit that did not allow a judge. The call was not recorded to its end, and is recorded again later. */
  readonly overLimit?: string | undefined
}

export interface Recording extends Recorded {
  /** What failed. */
  readonly errors: readonly string[]
}

async function endRecording(
  deps: RecordDeps,
  { tenant_id: tenantId, job_id: id, number }: ModelCallRow,
  { isRefused, errors, cost }: Recording,
): Promise<Recorded> {
  const error = toStorable(errors.join('\n').slice(0, 2000)) || null
  await markRecorded(deps.relational.db, { tenantId, id, number }, { error, cost })
  return { isRefused, cost }
}
