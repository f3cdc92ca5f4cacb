import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { Deletion, DeletionList, ProjectRetention, RetentionEstimate, WorkspaceRetention } from '../schemas.ts'
import { Calls } from './calls.ts'

/** Retention of traces in days after the start of their newest run (0 is forever), and deletions. Extensions of ours. */
export class RetentionCalls extends Calls {
  /** The default of the workspace, and the projects that say otherwise. */
  async readWorkspaceRetention(options: CallOptions = {}): Promise<WorkspaceRetention> {
    return await this.transport.call(routes.retention.readWorkspace, { doing: 'read the retention', ...options })
  }

  /** What is older goes from now on, in all projects that say nothing themselves; experiments stay. */
  async setWorkspaceRetention(days: number, options: CallOptions = {}): Promise<WorkspaceRetention> {
    const doing = 'set the retention'
    return await this.transport.call(routes.retention.setWorkspace, { body: { days }, doing, ...options })
  }

  /** What such a default would remove if it held now. */
  async estimateWorkspaceRetention(days: number, options: CallOptions = {}): Promise<RetentionEstimate> {
    const request = { query: { days } }
    return await this.transport.call(routes.retention.estimateWorkspace, {
      ...request,
      doing: 'estimate a retention',
      ...options,
    })
  }

  async readProjectRetention(projectId: string, options: CallOptions = {}): Promise<ProjectRetention> {
    const doing = `read the retention of project ${projectId}`
    return await this.transport.call(routes.retention.readProject, { params: toParams(projectId), doing, ...options })
  }

  /** @param days  null follows the workspace */
  async setProjectRetention(
    projectId: string,
    days: number | null,
    options: CallOptions = {},
  ): Promise<ProjectRetention> {
    const doing = `set the retention of project ${projectId}`
    const request = { params: toParams(projectId), body: { days }, doing, ...options }
    return await this.transport.call(routes.retention.setProject, request)
  }

  /**
   * Deletions of the last 400 days, newest first: counts per store, and whether a query found anything left.
   *
   * @param limit 1 to 100. @default 50
   */
  async listDeletions(
    { offset, limit }: { offset?: number | undefined; limit?: number | undefined } = {},
    options: CallOptions = {},
  ): Promise<DeletionList> {
    const request = { query: { offset, limit } }
    return await this.transport.call(routes.deletions.list, { ...request, doing: 'list deletions', ...options })
  }

  /** What one deletion removed from each store. */
  async readDeletion(deletionId: string, options: CallOptions = {}): Promise<Deletion> {
    assertUuid(deletionId, 'deletionId')
    const doing = `read deletion ${deletionId}`
    return await this.transport.call(routes.deletions.read, { params: { deletion_id: deletionId }, doing, ...options })
  }

  /** What such a retention would remove from the project if it held now. */
  async estimateProjectRetention(
    projectId: string,
    days: number,
    options: CallOptions = {},
  ): Promise<RetentionEstimate> {
    const request = { params: toParams(projectId), query: { days } }
    const doing = `estimate a retention of project ${projectId}`
    return await this.transport.call(routes.retention.estimateProject, { ...request, doing, ...options })
  }
}

function toParams(projectId: string): { session_id: string } {
  assertUuid(projectId)
  return { session_id: projectId }
}
