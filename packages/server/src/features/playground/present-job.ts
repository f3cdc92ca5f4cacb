import {
  ModelProblem,
  type PlaygroundFailure,
  type PlaygroundJob,
  type PlaygroundJobDetail,
} from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { ModelJobRow } from '../../storage/relational/tables/model-jobs.ts'
import { countCalls, type ListedJob, selectFailures } from '../model-jobs/index.ts'
import { readRequest, readSummary, toPosition } from './job-request.ts'

const FAILURES_SHOWN = 100

/** Jobs with the numbers of their calls, in the same order. */
export async function presentJobs(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  jobs: readonly ListedJob[],
): Promise<PlaygroundJob[]> {
  const ids = jobs.map(({ id }) => id)
  const counted = ids.length === 0 ? [] : await countCalls(relational.db, tenantId, ids)
  return jobs.map((job) => {
    const calls = counted.filter(({ job_id }) => job_id === job.id)
    const { variants, repeats, concurrency, evaluators } = readSummary(job)
    const datasetPath = `/o/${tenantId}/datasets/${job.dataset_id}`
    const counts = variants.map((variant, at) => {
      const { done = 0, failed = 0, cost = null } = calls.find((call) => call.variant === at) ?? {}
      return {
        ...variant,
        total: job.total / variants.length,
        done,
        failed,
        cost,
        experiment_path: `/o/${tenantId}/projects/p/${variant.experiment_id}`,
      }
    })
    const costs = counts.flatMap(({ cost }) => cost ?? [])
    const judgeCosts = calls.flatMap(({ judge_cost }) => judge_cost ?? [])
    const experimentIds = variants.map(({ experiment_id }) => experiment_id)
    return {
      id: job.id,
      name: job.name,
      state: job.state,
      reason: job.reason,
      dataset_id: job.dataset_id,
      dataset_version: job.dataset_version.toISOString(),
      total: job.total,
      done: sum(counts.map(({ done }) => done)),
      failed: sum(counts.map(({ failed }) => failed)),
      cost: costs.length === 0 ? null : sum(costs),
      judge_cost: judgeCosts.length === 0 ? null : sum(judgeCosts),
      variants: counts,
      comparison_path: `${datasetPath}/compare?selectedSessions=${experimentIds.join(',')}`,
      repeats,
      concurrency,
      limits: { max_cost_usd: job.max_cost_usd, max_seconds: job.max_seconds },
      evaluators: [...evaluators],
      created_at: job.created_at,
      created_by_name: job.created_by_name,
      ended_at: job.ended_at,
    }
  })
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

/** A job with its request and what failed. */
export async function presentJobDetail(deps: Pick<Deps, 'relational'>, job: ModelJobRow): Promise<PlaygroundJobDetail> {
  const [presented] = await presentJobs(deps, job.tenant_id, [job])
  if (presented === undefined) throw new Error('The job was not presented.')
  const summary = readSummary(job)
  const key = { tenantId: job.tenant_id, id: job.id }
  const failed = await selectFailures(deps.relational.db, key, FAILURES_SHOWN)
  const failures = failed.map(({ number, run_id, problem, evaluator_error }): PlaygroundFailure => {
    const { variant, repeat, row } = toPosition(number, summary)
    return {
      variant,
      repeat,
      example_id: job.example_ids[row] ?? '',
      run_id,
      problem: problem === null ? null : ModelProblem.parse(JSON.parse(problem)),
      evaluator_error,
    }
  })
  return { ...presented, failures, request: readRequest(job) }
}
