import { ApiError, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { ModelCallRow, ModelJobRow } from '../../../storage/relational/tables/model-jobs.ts'
import {
  type CallSignals,
  type JobTask,
  type MadeCall,
  type RecordedCall,
  type Recording,
  type RecordRuns,
  recordCall,
  toCaller,
} from '../../model-jobs/index.ts'
import { judgeRow } from '../judge-row.ts'
import { type RowDeps, readRunRows } from '../read-rows.ts'
import { type FeedbackTexts, recordFeedback, toFeedback } from '../record-scores.ts'
import { isOverLimit, type RunEvaluatorDeps } from '../run-evaluator.ts'
import { type JudgingSummary, readJudgingSummary, toExperiment } from './judging-summary.ts'

/** Failures of the model, or of its provider, may be the same for all runs. */
const OF_ALL: ReadonlySet<string> = new Set(['model', 'missing_provider', 'missing_evaluator'])

export type JudgingTaskDeps = RunEvaluatorDeps & RowDeps & Pick<Deps, 'log'> & { readonly recordRuns: RecordRuns }

/** Judges runs with one version of an evaluator, and records its scores. A judgement that ended is kept before its scores. */
export class JudgingTask implements JobTask<undefined> {
  readonly #summary: JudgingSummary
  readonly lanes: readonly string[]
  /** The judgement itself is the call. */
  readonly isJudged = false

  constructor(
    readonly deps: JudgingTaskDeps,
    readonly job: ModelJobRow,
  ) {
    this.#summary = readJudgingSummary(job)
    this.lanes = this.#summary.experiments.map(({ experiment_name }) => `Experiment "${experiment_name}"`)
  }

  get concurrency(): number {
    return this.#summary.concurrency
  }

  toLane(number: number): number {
    return toExperiment(number, this.#summary)
  }

  /** Runs can be large: each is read by its own call. */
  async read(): Promise<undefined> {
    return undefined
  }

  async call(number: number, _row: undefined, { cancelled, halted }: CallSignals): Promise<MadeCall> {
    const { deps, job } = this
    const runId = job.example_ids[number] ?? ''
    const version = { dataset: job.dataset_id, as_of: timeOfEpochMs(job.dataset_version.getTime()) }
    const row = (await readRunRows(deps, job.tenant_id, [runId], version)).get(runId)
    if (row === undefined) {
      const problem = { code: 'missing_run', message: 'The run was deleted.', model_problem: null, line: null }
      return { runId, cost: null, problem, isOfRow: true, answer: { feedback: [] } }
    }
    const { evaluator_id, version: judgeVersion } = this.#summary
    const evaluator = { evaluator_id, version: judgeVersion }
    const given = { tenantId: job.tenant_id, evaluator, row, signal: cancelled, waitSignal: halted }
    const judged = await judgeRow(deps, given)
    const { cost, problem } = judged
    if (isOverLimit(problem)) throw new ApiError('SPENDING_LIMIT', problem?.message)
    const isOfRow = problem !== null && !OF_ALL.has(problem.code)
    return {
      runId,
      cost,
      problem,
      isOfRow,
      answer: { feedback: toFeedback({ id: runId, ...row.place }, evaluator, judged) },
    }
  }

  record(call: ModelCallRow, signal: AbortSignal): Promise<RecordedCall> {
    const record = async (answer: unknown): Promise<Recording> => {
      const { feedback } = answer as { readonly feedback: FeedbackTexts }
      const errors = await recordFeedback(this.deps, toCaller(call.tenant_id), feedback)
      return { isRefused: false, errors, cost: null }
    }
    return recordCall(this.deps, call, { record, signal })
  }
}
