import {
  ApiError,
  type EvaluatorJobCreate,
  type EvaluatorJobEstimate,
  MAX_JUDGED_RUNS,
  timeOfEpochMs,
} from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/serve.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { getDataset, resolveVersion } from '../../datasets/index.ts'
import { type ListedJob, type ModelJobs, selectOpenJobs } from '../../model-jobs/index.ts'
import { selectProjectsById } from '../../projects/index.ts'
import { estimateEvaluator } from '../estimate-judge.ts'
import { findEvaluator } from '../judge-row.ts'
import { findRunsToJudge, type JudgedRuns, type RowDeps, readRunRows } from '../read-rows.ts'
import type { RunEvaluatorDeps } from '../run-evaluator.ts'
import { type JudgingSummary, readJudgingSummary } from './judging-summary.ts'

type SubjectDeps = RowDeps & Pick<Deps, 'clock'>
type EstimateDeps = SubjectDeps & RunEvaluatorDeps
export type StartJudgingDeps = EstimateDeps & Pick<Deps, 'ids'> & { readonly modelJobs: ModelJobs }

/** Runs that are rendered for an estimate. */
const SAMPLE_RUNS = 5

/**
 * What a job will need. No model is called.
 *
 * @throws ApiError like the start of a job
 */
export async function estimateJudging(
  deps: EstimateDeps,
  tenantId: string,
  body: EvaluatorJobCreate,
): Promise<EvaluatorJobEstimate> {
  const { evaluator, dataset, version, experiments } = await findSubjects(deps, tenantId, body)
  const ids = experiments.flatMap(({ found }) => found.ids)
  const at = { dataset, as_of: timeOfEpochMs(version.getTime()) }
  const rows = [...(await readRunRows(deps, tenantId, ids.slice(0, SAMPLE_RUNS), at)).values()]
  const wanted = { evaluator_id: body.evaluator_id, version: evaluator.version }
  const need = await estimateEvaluator(deps, tenantId, wanted, rows)
  const { prompt_tokens = 0, completion_tokens = 0, cost = 0, problem = null } = need ?? {}
  const sum = (pick: (found: JudgedRuns) => number) => experiments.reduce((all, { found }) => all + pick(found), 0)
  return {
    evaluator_name: evaluator.name,
    version: evaluator.version,
    runs: ids.length,
    left_out: {
      judged: sum(({ judged }) => judged),
      failed: sum(({ failed }) => failed),
      running: sum(({ running }) => running),
    },
    prompt_tokens: prompt_tokens * ids.length,
    completion_tokens: completion_tokens * ids.length,
    cost: cost === null ? null : cost * ids.length,
    sample_runs: rows.length,
    problem,
  }
}

/**
 * Creates a job that judges runs.
 *
 * @throws ApiError NOT_FOUND for the evaluator, its version or an experiment; INVALID_REQUEST without runs to judge, and for
 *   experiments over several datasets; CONFLICT while another job judges one of them with the same version
 */
export async function startJudging(
  deps: StartJudgingDeps,
  caller: Caller,
  body: EvaluatorJobCreate,
): Promise<ListedJob> {
  const { tenantId } = caller
  const { evaluator, dataset, version, experiments } = await findSubjects(deps, tenantId, body)
  const ids = experiments.flatMap(({ found }) => found.ids)
  if (ids.length === 0) throw new ApiError('INVALID_REQUEST', explainNoRuns(experiments.map(({ found }) => found)))
  const id = deps.ids()
  const summary: JudgingSummary = {
    evaluator_id: body.evaluator_id,
    evaluator_name: evaluator.name,
    version: evaluator.version,
    again: body.again,
    concurrency: body.concurrency,
    experiments: experiments.map(({ id: experiment_id, name: experiment_name, found }) => {
      return { experiment_id, experiment_name, runs: found.ids.length }
    }),
  }
  return deps.modelJobs.start(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`judging ${tenantId}`}, 0))`)
    await assertAlone(tx, tenantId, summary)
    return {
      id,
      tenant_id: tenantId,
      kind: 'judging',
      name: evaluator.name,
      dataset_id: dataset,
      dataset_version: version,
      example_ids: ids,
      request: '{}',
      summary: JSON.stringify(summary),
      total: ids.length,
      max_cost_usd: body.limits.max_cost_usd ?? null,
      max_seconds: body.limits.max_seconds ?? null,
      created_at: timeOfEpochMs(deps.clock()),
      created_by_name: caller.actorName ?? null,
    }
  })
}

interface Subject {
  readonly id: string
  readonly name: string
  readonly found: JudgedRuns
}

async function findSubjects(
  deps: SubjectDeps,
  tenantId: string,
  { evaluator_id: evaluatorId, version: wanted, experiment_ids, again }: EvaluatorJobCreate,
) {
  const evaluator = await findEvaluator(deps, tenantId, evaluatorId, wanted ?? undefined)
  const projects = await selectProjectsById(deps, tenantId, experiment_ids)
  const experiments: Subject[] = []
  let dataset: string | undefined
  let left = MAX_JUDGED_RUNS
  for (const experimentId of experiment_ids) {
    const project = projects.get(experimentId)
    const of = project?.reference_dataset_id ?? undefined
    if (project === undefined || of === undefined)
      throw new ApiError('NOT_FOUND', `Experiment ${experimentId} not found`)
    if (dataset !== undefined && of !== dataset) {
      throw new ApiError(
        'INVALID_REQUEST',
        'The experiments belong to different datasets. Judge those of one at a time.',
      )
    }
    dataset = of
    const given = { experimentId, evaluatorId, version: evaluator.version, again, limit: left + 1 }
    const found = await findRunsToJudge(deps, tenantId, given)
    left -= found.ids.length
    if (left < 0) {
      throw new ApiError(
        'INVALID_REQUEST',
        `A job judges at most ${MAX_JUDGED_RUNS} runs. Judge fewer experiments at once.`,
      )
    }
    experiments.push({ id: project.id, name: project.name, found })
  }
  const view = await getDataset(deps, tenantId, dataset ?? '')
  const version = (await resolveVersion(deps, view, undefined)) ?? new Date(deps.clock())
  return { evaluator, dataset: view.id, version, experiments }
}

function explainNoRuns(found: readonly JudgedRuns[]): string {
  const sum = (pick: (one: JudgedRuns) => number) => found.reduce((all, one) => all + pick(one), 0)
  const parts = [
    [sum(({ judged }) => judged), 'were judged by this version before (again: true judges them again)'],
    [sum(({ failed }) => failed), 'failed'],
    [sum(({ running }) => running), 'have not ended'],
  ] as const
  const reasons = parts.flatMap(([count, text]) => (count === 0 ? [] : `${count} ${text}`))
  return `There is no run to judge: ${reasons.join(', ') || 'the experiments have no runs'}.`
}

/** Two jobs would judge the same runs. A job that ended can be resumed, so its runs are found again by their scores only. */
async function assertAlone(tx: Database, tenantId: string, summary: JudgingSummary): Promise<void> {
  const wanted = new Set(summary.experiments.map(({ experiment_id }) => experiment_id))
  for (const job of await selectOpenJobs(tx, tenantId, 'judging')) {
    const open = readJudgingSummary(job)
    if (open.evaluator_id !== summary.evaluator_id || open.version !== summary.version) continue
    const shared = open.experiments.find(({ experiment_id }) => wanted.has(experiment_id))
    if (shared === undefined) continue
    const message = `The job ${job.id} judges "${shared.experiment_name}" with this version already, and is ${job.state}.`
    throw new ApiError('CONFLICT', message)
  }
}
