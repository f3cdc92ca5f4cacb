import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { BulkCount, BulkJob, BulkJobDetail, BulkStart } from '../schemas.ts'
import { Calls } from './calls.ts'

export interface WaitForJobOptions extends CallOptions {
  /** @default 1000 */
  intervalMs?: number | undefined
  onProgress?: ((job: BulkJobDetail) => void) | undefined
}

/** Work on all runs of a query, done by the server as a job. Extensions of ours. */
export class BulkJobCalls extends Calls {
  /** How many runs and traces a bulk action would treat, and the newest five of them. Does nothing. */
  async countBulk(bulk: BulkStart, options: CallOptions = {}): Promise<BulkCount> {
    const body = { ...bulk, dry_run: true }
    return await this.transport.call(routes.bulkJobs.start, { body, doing: 'count runs', ...options })
  }

  /**
   * Begins. `as_of` and `expected_total` of a count keep its promise: nothing that came later is touched.
   *
   * @throws ConflictError when there is more than `expected_total`; BadRequestError, NotFoundError
   */
  async startBulk(bulk: BulkStart, options: CallOptions = {}): Promise<BulkJob> {
    const doing = `${bulk.action.replaceAll('_', ' ')} in bulk`
    const answer = await this.transport.call(routes.bulkJobs.start, { body: bulk, doing, ...options })
    // Null only for a dry run.
    return answer.job as BulkJob
  }

  /** Jobs of the last 30 days, newest first; 50 unless asked otherwise. */
  async listJobs(
    { limit, offset }: { limit?: number | undefined; offset?: number | undefined } = {},
    options: CallOptions = {},
  ): Promise<{ jobs: BulkJob[]; total: number }> {
    const query = { limit, offset }
    return await this.transport.call(routes.bulkJobs.list, { query, doing: 'list jobs', ...options })
  }

  async readJob(id: string, options: CallOptions = {}): Promise<BulkJobDetail> {
    return await this.transport.call(routes.bulkJobs.read, {
      params: toParams(id),
      doing: `read job ${id}`,
      ...options,
    })
  }

  /** What it has done stays. A job that has ended is answered as it is. */
  async cancelJob(id: string, options: CallOptions = {}): Promise<BulkJob> {
    const request = { params: toParams(id), doing: `cancel job ${id}`, ...options }
    return await this.transport.call(routes.bulkJobs.cancel, request)
  }

  /** Resolves when a job has ended: done, failed or cancelled. */
  async waitForJob(
    id: string,
    { intervalMs = 1000, onProgress, ...options }: WaitForJobOptions = {},
  ): Promise<BulkJobDetail> {
    for (;;) {
      const job = await this.readJob(id, options)
      onProgress?.(job)
      if (job.ended_at !== null) return job
      await new Promise((resolve) => setTimeout(resolve, intervalMs))
      options.signal?.throwIfAborted()
    }
  }

  /**
   * Takes back the examples that a job added, or restores the costs that it changed, as a job of its own. Earlier versions of
   * the dataset keep the examples.
   */
  async undoJob(id: string, options: CallOptions = {}): Promise<BulkJob> {
    return await this.transport.call(routes.bulkJobs.undo, {
      params: toParams(id),
      doing: `undo job ${id}`,
      ...options,
    })
  }
}

function toParams(id: string): { job_id: string } {
  assertUuid(id)
  return { job_id: id }
}
