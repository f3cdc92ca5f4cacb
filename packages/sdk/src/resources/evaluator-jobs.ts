import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type {
  EvaluatorJob,
  EvaluatorJobDetail,
  EvaluatorJobEstimate,
  EvaluatorJobWrite,
  PlaygroundLimits,
} from '../schemas.ts'
import { Calls } from './calls.ts'

export interface ListEvaluatorJobsParams {
  datasetId?: string | undefined
  /** @default 50; at most 100 */
  limit?: number | undefined
  offset?: number | undefined
}

export interface WaitForEvaluatorJobOptions extends CallOptions {
  /** Milliseconds between two reads. @default 1000 */
  intervalMs?: number | undefined
  /** Called after each read. */
  onProgress?: ((job: EvaluatorJobDetail) => void) | undefined
}

/** Saved evaluators over the runs of experiments, judged by the server. Extensions of ours. */
export class EvaluatorJobCalls extends Calls {
  /** Runs, tokens and price of a job. Calls no model. */
  async estimateEvaluatorJob(job: EvaluatorJobWrite, options: CallOptions = {}): Promise<EvaluatorJobEstimate> {
    const request = { body: job, doing: 'estimate an evaluator job', ...options }
    return await this.transport.call(routes.evaluatorJobs.estimate, request)
  }

  /**
   * Judges the root runs of experiments. Runs that the version has judged before are left out, unless `again` is set. The job
   * works on the server, also after this program has ended.
   *
   * @throws NotFoundError for the evaluator or an experiment; BadRequestError without runs to judge; ConflictError while
   *   another job judges one of the experiments with the same version
   */
  async createEvaluatorJob(job: EvaluatorJobWrite, options: CallOptions = {}): Promise<EvaluatorJob> {
    // A second request would be refused while the job of the first one runs.
    const request = { body: job, doing: 'create an evaluator job', maxRetries: 0, ...options }
    return await this.transport.call(routes.evaluatorJobs.create, request)
  }

  /** Newest first. */
  async listEvaluatorJobs(
    { datasetId, limit, offset }: ListEvaluatorJobsParams = {},
    options: CallOptions = {},
  ): Promise<{ jobs: EvaluatorJob[]; total: number }> {
    const query = { dataset_id: datasetId, limit, offset }
    return await this.transport.call(routes.evaluatorJobs.list, { query, doing: 'list evaluator jobs', ...options })
  }

  async readEvaluatorJob(id: string, options: CallOptions = {}): Promise<EvaluatorJobDetail> {
    const request = { params: toParams(id), doing: `read evaluator job ${id}`, ...options }
    return await this.transport.call(routes.evaluatorJobs.read, request)
  }

  /** Judgements under way end. @throws ConflictError unless it runs */
  async pauseEvaluatorJob(id: string, options: CallOptions = {}): Promise<EvaluatorJob> {
    const request = { params: toParams(id), doing: `pause evaluator job ${id}`, ...options }
    return await this.transport.call(routes.evaluatorJobs.pause, request)
  }

  /**
   * Continues a job that is paused, stopped or failed. Runs whose judgement failed are not judged again.
   *
   * @param limits  replace those of the job. @default unchanged
   * @throws ConflictError
   */
  async resumeEvaluatorJob(
    id: string,
    limits?: PlaygroundLimits | undefined,
    options: CallOptions = {},
  ): Promise<EvaluatorJob> {
    const request = { params: toParams(id), body: { limits }, doing: `resume evaluator job ${id}`, ...options }
    return await this.transport.call(routes.evaluatorJobs.resume, request)
  }

  /** Cancels the calls under way; scores that the job gave stay. @throws ConflictError when it has ended */
  async stopEvaluatorJob(id: string, options: CallOptions = {}): Promise<EvaluatorJob> {
    const request = { params: toParams(id), doing: `stop evaluator job ${id}`, ...options }
    return await this.transport.call(routes.evaluatorJobs.stop, request)
  }

  /** Resolves when a job no longer runs: completed, failed, stopped or paused. */
  async waitForEvaluatorJob(
    id: string,
    { intervalMs = 1000, onProgress, ...options }: WaitForEvaluatorJobOptions = {},
  ): Promise<EvaluatorJobDetail> {
    for (;;) {
      const job = await this.readEvaluatorJob(id, options)
      onProgress?.(job)
      if (job.state !== 'RUNNING') return job
      await new Promise((resolve) => setTimeout(resolve, intervalMs))
      options.signal?.throwIfAborted()
    }
  }
}

function toParams(id: string): { job_id: string } {
  assertUuid(id)
  return { job_id: id }
}
