import { type EvaluatorJob, type EvaluatorJobDetail, EvaluatorProblem } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { countCalls, type ListedJob, selectFailures } from '../../model-jobs/index.ts'
import { readJudgingSummary, toExperiment } from './judging-summary.ts'

const FAILURES_SHOWN = 100

/** Jobs with the numbers of their judgements, in the same order. */
export async function presentJudgings(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  jobs: readonly ListedJob[],
): Promise<EvaluatorJob[]> {
  const ids = jobs.map(({ id }) => id)
  const counted = ids.length === 0 ? [] : await countCalls(relational.db, tenantId, ids)
  return jobs.map((job) => {
    const calls = counted.filter(({ job_id }) => job_id === job.id)
    const { experiments, evaluator_id, evaluator_name, version, again, concurrency } = readJudgingSummary(job)
    const counts = experiments.map(({ experiment_id, experiment_name, runs }, at) => {
      const { done = 0, failed = 0, cost = null } = calls.find(({ variant }) => variant === at) ?? {}
      const experiment_path = `/o/${tenantId}/projects/p/${experiment_id}`
      return { experiment_id, experiment_name, experiment_path, total: runs, done, failed, cost }
    })
    const costs = counts.flatMap(({ cost }) => cost ?? [])
    return {
      id: job.id,
      state: job.state,
      reason: job.reason,
      evaluator_id,
      evaluator_name,
      version,
      dataset_id: job.dataset_id,
      dataset_version: job.dataset_version.toISOString(),
      total: job.total,
      done: counts.reduce((sum, { done }) => sum + done, 0),
      failed: counts.reduce((sum, { failed }) => sum + failed, 0),
      cost: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
      experiments: counts,
      again,
      concurrency,
      limits: { max_cost_usd: job.max_cost_usd, max_seconds: job.max_seconds },
      created_at: job.created_at,
      created_by_name: job.created_by_name,
      ended_at: job.ended_at,
    }
  })
}

/** A job with what failed. */
export async function presentJudgingDetail(
  deps: Pick<Deps, 'relational'>,
  job: ListedJob,
): Promise<EvaluatorJobDetail> {
  const [presented] = await presentJudgings(deps, job.tenant_id, [job])
  if (presented === undefined) throw new Error('The job was not presented.')
  const failed = await selectFailures(deps.relational.db, { tenantId: job.tenant_id, id: job.id }, FAILURES_SHOWN)
  const failures = failed.map(({ number, run_id, problem, evaluator_error }) => ({
    experiment_id: presented.experiments[toExperiment(number, readJudgingSummary(job))]?.experiment_id ?? '',
    run_id,
    problem: problem === null ? null : EvaluatorProblem.parse(JSON.parse(problem)),
    recording_error: evaluator_error,
  }))
  return { ...presented, failures }
}
