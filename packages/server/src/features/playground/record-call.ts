import { ApiError, ERRORS, type EvaluatorScore } from '@touchstone/contract'
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
) => Promise<unknown>

/** Evaluators that the server runs. */
export interface JobEvaluators {
  /**
   * @param version  @default the newest
   * @returns the version that is meant, with its feedback keys as far as they are known
   * @throws ApiError NOT_FOUND
   */
  find(
    tenantId: string,
    evaluatorId: string,
    version: number | undefined,
  ): Promise<{ readonly version: number; readonly keys: readonly string[] }>
  /** Judges one answer. */
  evaluate(given: {
    readonly tenantId: string
    readonly evaluator: JobEvaluator
    readonly row: { readonly inputs: unknown; readonly outputs: unknown; readonly reference_outputs: unknown }
    readonly runId: string
    readonly signal: AbortSignal
  }): Promise<{ readonly scores: readonly EvaluatorScore[]; readonly problem: string | null }>
}

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

/** Keeps a call that ended; from now on it is not made again. */
export async function keepCall(
  deps: RecordDeps,
  call: Omit<PlaygroundCallRow, 'answer' | 'evaluator_error'>,
  answer: KeptAnswer,
): Promise<PlaygroundCallRow> {
  const row = { ...call, evaluator_error: null, answer: JSON.stringify(answer) }
  await insertCall(deps.relational.db, row)
  return row
}

/**
 * Records the run of a kept call, and what evaluators find about it. All ids are derived from the call, so that it may be
 * repeated.
 */
export async function recordCall(
  deps: RecordDeps,
  call: PlaygroundCallRow,
  evaluators: readonly JobEvaluator[],
  signal: AbortSignal,
): Promise<void> {
  if (call.answer === null) return
  const { tenant_id: tenantId, job_id: id, number } = call
  const answer = JSON.parse(call.answer) as KeptAnswer
  const errors = await record(deps, call, answer, evaluators, signal).catch((error: unknown) => {
    // A run that can never be stored, for example of a deleted experiment, must not hold up the job.
    if (error instanceof ApiError && !ERRORS[error.code].retry)
      return [`The run could not be recorded: ${error.message}`]
    throw error
  })
  await markRecorded(deps.relational.db, { tenantId, id, number }, errors.join('\n').slice(0, 2000) || null)
}

/** @returns what failed */
async function record(
  deps: RecordDeps,
  call: PlaygroundCallRow,
  { run, row }: KeptAnswer,
  evaluators: readonly JobEvaluator[],
  signal: AbortSignal,
): Promise<string[]> {
  const caller = toCaller(call.tenant_id)
  await deps.recordRuns(caller, { runs: [{ kind: 'post', main: JSON.stringify(run) }], feedback: [] })
  if (row === undefined) return []
  const values = { inputs: row.inputs, outputs: run.outputs ?? null, reference_outputs: row.outputs }
  const results = await Promise.all(
    evaluators.map(async (evaluator) => {
      const given = { tenantId: call.tenant_id, evaluator, row: values, runId: call.run_id, signal }
      return { evaluator, ...(await deps.evaluators.evaluate(given)) }
    }),
  )
  signal.throwIfAborted()
  const feedback = results.flatMap(({ evaluator, scores }) => toFeedback(run, evaluator, scores))
  if (feedback.length > 0) await deps.recordRuns(caller, { runs: [], feedback })
  return results.flatMap(({ problem }) => problem ?? [])
}

function toFeedback(
  run: Readonly<Record<string, unknown>>,
  evaluator: JobEvaluator,
  scores: readonly EvaluatorScore[],
): { readonly name: string; readonly text: string }[] {
  return scores.map(({ key, score, value, comment }) => {
    const { evaluator_id, version } = evaluator
    const feedback = {
      id: toStableId('feedback', String(run.id), evaluator_id, key),
      run_id: run.id,
      trace_id: run.id,
      session_id: run.session_id,
      start_time: run.start_time,
      key,
      score,
      value,
      comment,
      feedback_source: { type: 'evaluator', metadata: { evaluator_id, evaluator_version: version } },
    }
    return { name: String(run.id), text: JSON.stringify(feedback) }
  })
}

/** Jobs write as the server itself; the job names the person who started it. */
function toCaller(tenantId: string): Caller {
  return { kind: 'local', tenantId, role: 'member', isServerAdmin: false, actorId: undefined, actorName: undefined }
}
