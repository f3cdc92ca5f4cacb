import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { ModelUsageReport, ProjectActivity, StorageReport, UsageReport } from '../schemas.ts'
import { Calls } from './calls.ts'

export class UsageCalls extends Calls {
  /**
   * What the workspace recorded in its last days (UTC, today included), by day and by project. An extension of ours.
   *
   * @param days how many, 1 to 366. @default 30
   * @param projectId only this project
   */
  async readUsage(
    { days, projectId }: { days?: number | undefined; projectId?: string | undefined } = {},
    options: CallOptions = {},
  ): Promise<UsageReport> {
    if (projectId !== undefined) assertUuid(projectId, 'projectId')
    const query = { days, session: projectId }

    return await this.transport.call(routes.usage.read, { query, doing: 'read the usage', ...options })
  }

  /**
   * Tokens and costs of the last days (UTC, today included), by model and project. An extension of ours.
   *
   * @param days how many, 1 to 366. @default 30
   * @param projectId only this project
   */
  async readModelUsage(
    { days, projectId }: { days?: number | undefined; projectId?: string | undefined } = {},
    options: CallOptions = {},
  ): Promise<ModelUsageReport> {
    if (projectId !== undefined) assertUuid(projectId, 'projectId')
    const query = { days, session: projectId }

    return await this.transport.call(routes.usage.models, { query, doing: 'read the usage of models', ...options })
  }

  /** Free disk space of the server and the size of each of its stores; for admins. An extension of ours. */
  async readStorage(options: CallOptions = {}): Promise<StorageReport> {
    return await this.transport.call(routes.usage.storage, { doing: 'read the storage', ...options })
  }

  /**
   * Traces and failed traces of every project over time, from then until now. An extension of ours.
   *
   * @param since ISO 8601
   * @param buckets into how many equal parts, 1 to 100. @default 24
   */
  async readProjectActivity(
    { since, buckets }: { since: string; buckets?: number | undefined },
    options: CallOptions = {},
  ): Promise<ProjectActivity> {
    const query = { since, buckets }

    return await this.transport.call(routes.usage.activity, { query, doing: 'read the activity', ...options })
  }
}
