import type { ModelCallRow } from '../../storage/relational/tables/model-jobs.ts'
import {
  type EvaluatorReference,
  isOverLimit,
  judgeRow,
  type RunEvaluatorDeps,
  recordFeedback,
  toFeedback,
} from '../evaluators/index.ts'
import { type Recording, type RecordRuns, toCaller } from '../model-jobs/index.ts'
import type { RowValues } from './job-request.ts'

export type RecordRunDeps = RunEvaluatorDeps & { readonly recordRuns: RecordRuns }

/** A call that ended, as it is kept until its run is recorded. */
export interface KeptAnswer {
  readonly run: Readonly<Record<string, unknown>>
  /** The row that evaluators get; absent without evaluators, and for a failed call. */
  readonly row?: RowValues
}

export interface RunOptions {
  readonly evaluators: readonly EvaluatorReference[]
  readonly signal: AbortSignal
  /** Whether a judge that a monthly limit does not allow is asked again later. Otherwise that is its problem of the run. */
  readonly waitsForLimit: boolean
}

/** Records the run of a call, and what evaluators find about it. */
export async function recordRun(
  deps: RecordRunDeps,
  call: ModelCallRow,
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
      return { evaluator, ...(await judgeRow(deps, given)) }
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
