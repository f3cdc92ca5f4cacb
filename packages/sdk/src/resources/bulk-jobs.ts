import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { BulkCount, BulkJob, BulkJobDetail, BulkStart } from '../schemas.ts'
import { Calls } from './calls.ts'

/** Work on all runs of a query, done by the server as a job. Extensions of ours. */
export class BulkJobCalls extends Calls {
  /** How many runs and traces a bulk action would treat, and the newest five of them. Does nothing. */
  async countBulk(bulk: BulkStart, options: CallOptions = {}): Promise<BulkCount> {
    const body = { ...bulk, dry_run: true }
    return await this.transport.json({ method: 'POST', path: '/bulk', body, doing: 'count runs', ...options })
  }

  /**
   * Begins. `as_of` and `expected_total` of a count keep its promise: nothing that came later is touched.
   *
   * @throws ConflictError when there is more than `expected_total`; BadRequestError, NotFoundError
   */
  async startBulk(bulk: BulkStart, options: CallOptions = {}): Promise<BulkJob> {
    const doing = `${bulk.action.replaceAll('_', ' ')} in bulk`
    const answer = await this.transport.json<{ job: BulkJob }>({
      method: 'POST',
      path: '/bulk',
      body: bulk,
      doing,
      ...options,
    })
    return answer.job
  }

  /** Jobs of the last 30 days, newest first; 50 unless asked otherwise. */
  async listJobs(
    { limit, offset }: { limit?: number | undefined; offset?: number | undefined } = {},
    options: CallOptions = {},
  ): Promise<{ jobs: BulkJob[]; total: number }> {
    const query = { limit, offset }
    return await this.transport.json({ method: 'GET', path: '/jobs', query, doing: 'list jobs', ...options })
  }

  async readJob(id: string, options: CallOptions = {}): Promise<BulkJobDetail> {
    return await this.transport.json({ method: 'GET', path: at(id), doing: `read job ${id}`, ...options })
  }

  /** What it has done stays. A job that has ended is answered as it is. */
  async cancelJob(id: string, options: CallOptions = {}): Promise<BulkJob> {
    return await this.transport.json({
      method: 'POST',
      path: `${at(id)}/cancel`,
      doing: `cancel job ${id}`,
      ...options,
    })
  }

  /** Takes back the examples that a job added, as a job of its own. Earlier versions of the dataset keep them. */
  async undoJob(id: string, options: CallOptions = {}): Promise<BulkJob> {
    return await this.transport.json({ method: 'POST', path: `${at(id)}/undo`, doing: `undo job ${id}`, ...options })
  }
}

function at(id: string): string {
  assertUuid(id)
  return `/jobs/${id}`
}
