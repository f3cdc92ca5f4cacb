import { setTimeout as sleep } from 'node:timers/promises'
import {
  ApiError,
  ERRORS,
  type EvaluatorProblem,
  type EvaluatorScore,
  type IngestReceipt,
  toStorable,
} from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/serve.ts'
import type { PlaygroundCallRow } from '../../storage/relational/tables/playground.ts'
import { type JobEvaluator, type RowValues, toStableId } from './job-request.ts'
import { insertCall, markRecorded } from './store.ts'

/** Writes runs and feedback through the ingest path. */
export type RecordRuns = (
  caller: Caller,
  given: {
    readonly runs: readonly { readonly kind: 'post'; readonly main: string }[]
    readonly feedback: readonly { readonly name: string; readonly text: string }[]
  },
) => Promise<Pick<IngestReceipt, 'errors'>>

/** What evaluators judge. */
export interface JudgedRow {
  readonly inputs: unknown
  readonly outputs: unknown
  readonly reference_outputs: unknown
  /** Facts of the run. */
  readonly run?: Readonly<Record<string, unknown>> | null
}

/** A run that exists, and where feedback on it belongs. */
export interface JudgedRun extends JudgedRow {
  readonly place: { readonly session_id: string; readonly start_time: string }
}

/** Root runs of an experiment that an evaluator may judge, and the numbers of the others. */
export interface RunsToJudge {
  /** Oldest first. */
  readonly ids: readonly string[]
  readonly judged: number
  readonly failed: number
  readonly running: number
}

/** Evaluators that the server runs. */
export interface JobEvaluators {
  /** @param again  includes runs that this version has judged @param limit  of the runs that are read */
  findRuns(
    tenantId: string,
    given: {
      readonly experimentId: string
      readonly evaluatorId: string
      readonly version: number
      readonly again: boolean
      readonly limit: number
    },
  ): Promise<RunsToJudge>
  /** Runs by id, with the values of their examples at a version of the dataset; unknown ids are left out. */
  readRuns(
    tenantId: string,
    ids: readonly string[],
    version: { readonly dataset: string; readonly as_of: string },
  ): Promise<ReadonlyMap<string, JudgedRun>>
  /**
   * @param version  @default the newest
   * @returns the version that is meant, with its feedback keys as far as they are known
   * @throws ApiError NOT_FOUND
   */
  find(
    tenantId: string,
    evaluatorId: string,
    version: number | undefined,
  ): Promise<{ readonly name: string; readonly version: number; readonly keys: readonly string[] }>
  /**
   * What a judge needs for one answer, as the average of some.
   *
   * @returns undefined for an evaluator that calls no model
   * @throws ApiError NOT_FOUND
   */
  estimate(given: {
    readonly tenantId: string
    readonly evaluator: JobEvaluator
    readonly rows: readonly {
      readonly inputs: unknown
      readonly outputs: unknown
      readonly reference_outputs: unknown
    }[]
  }): Promise<
    | {
        readonly name: string
        /** Why the first row cannot be rendered. */
        readonly problem: EvaluatorProblem | null
        readonly prompt_tokens: number
        readonly completion_tokens: number
        /** US dollars; null without a price. */
        readonly cost: number | null
      }
    | undefined
  >
  /** Judges one answer, at the pace of its provider. */
  evaluate(given: {
    readonly tenantId: string
    readonly evaluator: JobEvaluator
    readonly row: JudgedRow
    readonly signal: AbortSignal
    /** Ends the waiting for the pace of the provider. @default signal */
    readonly waitSignal?: AbortSignal
  }): Promise<JudgedAnswer>
}

export interface JudgedAnswer {
  /** Of the evaluator. */
  readonly name: string
  readonly scores: readonly EvaluatorScore[]
  readonly problem: EvaluatorProblem | null
  /** A passage of the judged values that reads like an instruction for the judge. */
  readonly suspected_instructions: string | null
  /** US dollars; null without a call of a model, and without a price. */
  readonly cost: number | null
}

type EndDeps = Pick<Deps, 'relational' | 'log'>

export type RecordDeps = Pick<Deps, 'relational' | 'log'> & {
  readonly recordRuns: RecordRuns
  readonly evaluators: JobEvaluators
}

/** A call that ended, as it is kept until its run is recorded. */
export interface KeptAnswer {
  readonly run: Readonly<Record<string, unknown>>
  /** The row that evaluators get; absent without evaluators, and for a failed call. */
  readonly row?: RowValues
}

/**
 * Keeps a call that ended; from now on it is not made again. It was paid for, so a database that fails for a moment is
 * asked again.
 *
 * @param signal  ends the waiting between the tries
 * @param firstWaitMs  before the second try; each later one waits twice as long
 * @returns undefined when another process has kept its own answer of the same call, which it also records
 */
export async function keepCall(
  deps: Pick<RecordDeps, 'relational' | 'log'>,
  call: Omit<PlaygroundCallRow, 'answer' | 'evaluator_error' | 'judge_cost'>,
  answer: object,
  signal: AbortSignal,
  firstWaitMs = FIRST_WAIT_MS,
): Promise<PlaygroundCallRow | undefined> {
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
export async function recordCall(deps: EndDeps, call: PlaygroundCallRow, options: RecordOptions): Promise<Recorded> {
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

async function recordOnce(deps: EndDeps, call: PlaygroundCallRow, options: RecordOptions): Promise<Recorded> {
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
  deps: EndDeps,
  { tenant_id: tenantId, job_id: id, number }: PlaygroundCallRow,
  { isRefused, errors, cost }: Recording,
): Promise<Recorded> {
  const error = toStorable(errors.join('\n').slice(0, 2000)) || null
  await markRecorded(deps.relational.db, { tenantId, id, number }, { error, cost })
  return { isRefused, cost }
}

export const isOverLimit = (problem: EvaluatorProblem | null) => problem?.model_problem?.code === 'spending_limit'

export interface RunOptions {
  readonly evaluators: readonly JobEvaluator[]
  readonly signal: AbortSignal
  /** Whether a judge that a monthly limit does not allow is asked again later. Otherwise that is its problem of the run. */
  readonly waitsForLimit: boolean
}

/** Records the run of a call, and what evaluators find about it. */
export async function recordRun(
  deps: RecordDeps,
  call: PlaygroundCallRow,
  { run, row }: KeptAnswer,
  { evaluators, signal, waitsForLimit }: RunOptions,
): Promise<Recording> {
  const caller = toCaller(call.tenant_id)
  await deps.recordRuns(caller, { runs: [{ kind: 'post', main: JSON.stringify(run) }], feedback: [] })
  if (row === undefined) return { isRefused: false, errors: [], cost: null }
  const values = { inputs: row.inputs, outputs: run.outputs ?? null, reference_outputs: row.outputs }
  const results = await Promise.all(
    evaluators.map(async (evaluator) => {
      const given = { tenantId: call.tenant_id, evaluator, row: { ...values, run: { id: call.run_id } }, signal }
      return { evaluator, ...(await deps.evaluators.evaluate(given)) }
    }),
  )
  signal.throwIfAborted()
  const feedback = results.flatMap(({ evaluator, ...judged }) => toFeedback(run, evaluator, judged))
  const problems = results.flatMap(({ name, problem }) => (problem === null ? [] : `${name}: ${problem.message}`))
  const costs = results.flatMap(({ cost }) => cost ?? [])
  return {
    isRefused: false,
    errors: [...problems, ...(await recordFeedback(deps, caller, feedback))],
    cost: costs.length === 0 ? null : costs.reduce((sum, one) => sum + one),
    overLimit: waitsForLimit ? results.find(({ problem }) => isOverLimit(problem))?.problem?.message : undefined,
  }
}

/** @returns why scores were refused; the others are stored */
export async function recordFeedback(
  deps: Pick<RecordDeps, 'recordRuns'>,
  caller: Caller,
  feedback: FeedbackTexts,
): Promise<string[]> {
  if (feedback.length === 0) return []
  try {
    const { errors = [] } = await deps.recordRuns(caller, { runs: [], feedback })
    return errors.map(({ error }) => `A score could not be recorded: ${error}`)
  } catch (error) {
    if (!isFinal(error)) throw error
    return [`The scores could not be recorded: ${error.message}`]
  }
}

export type FeedbackTexts = Parameters<RecordRuns>[1]['feedback']

/** Ids are derived, so that the same judgement is stored once. */
export function toFeedback(
  run: Readonly<Record<string, unknown>>,
  evaluator: JobEvaluator,
  { scores, suspected_instructions }: Pick<JudgedAnswer, 'scores' | 'suspected_instructions'>,
): FeedbackTexts {
  // A mark for readers: the score may be what the judged text asked for.
  const mark = suspected_instructions === null ? {} : { suspected_instructions }
  return scores.map(({ key, score, value, comment }) => {
    const { evaluator_id, version } = evaluator
    const feedback = {
      id: toStableId('feedback', String(run.id), evaluator_id, version ?? 0, key),
      run_id: run.id,
      trace_id: run.id,
      session_id: run.session_id,
      start_time: run.start_time,
      key,
      score,
      value,
      comment,
      feedback_source: { type: 'model', metadata: { evaluator_id, evaluator_version: version, ...mark } },
    }
    return { name: String(run.id), text: JSON.stringify(feedback) }
  })
}

/** Jobs write as the server itself; the job names the person who started it. */
export function toCaller(tenantId: string): Caller {
  return { kind: 'local', tenantId, role: 'member', isServerAdmin: false, actorId: undefined, actorName: undefined }
}
