import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { Dashboard, DashboardChart } from '../schemas.ts'
import { Calls } from './calls.ts'

export interface CreateDashboardParams {
  name: string
  /** Absent: of the workspace, offered in every project. */
  projectId?: string | undefined
  charts?: DashboardChart[] | undefined
}

/** Absent fields stay as they are. */
export interface UpdateDashboardParams {
  name?: string | undefined
  /** All charts, in their order. */
  charts?: DashboardChart[] | undefined
  /** `modified_at` as it was read. The call fails with a conflict if the dashboard has been saved since. */
  modifiedAt?: string | undefined
  /** What the change is based on: a conflict when a field has another value by now. */
  expected?: { name?: string | undefined; charts?: DashboardChart[] | undefined } | undefined
}

/** Saved pages of charts, shared by everybody in the workspace. Extensions of ours. */
export class DashboardCalls extends Calls {
  /** Dashboards of the workspace and, if one is named, of a project; by name. */
  async listDashboards(
    { projectId }: { projectId?: string | undefined } = {},
    options: CallOptions = {},
  ): Promise<Dashboard[]> {
    if (projectId !== undefined) assertUuid(projectId, 'projectId')
    const query = { session_id: projectId }
    return await this.transport.call(routes.dashboards.list, { query, doing: 'list dashboards', ...options })
  }

  async readDashboard(id: string, options: CallOptions = {}): Promise<Dashboard> {
    assertUuid(id)
    return await this.transport.call(routes.dashboards.read, {
      params: { dashboard_id: id },
      doing: `read dashboard ${id}`,
      ...options,
    })
  }

  /** @throws a conflict when the name is taken in that project, or among those of the workspace */
  async createDashboard(
    { name, projectId, charts }: CreateDashboardParams,
    options: CallOptions = {},
  ): Promise<Dashboard> {
    if (projectId !== undefined) assertUuid(projectId, 'projectId')
    const body = { name, session_id: projectId, charts }
    return await this.transport.call(routes.dashboards.create, { body, doing: 'save a dashboard', ...options })
  }

  /** @throws ConflictError when the name is taken, the dashboard has been saved since `modifiedAt`, or a field is not as expected */
  async updateDashboard(
    id: string,
    { name, charts, modifiedAt, expected }: UpdateDashboardParams,
    options: CallOptions = {},
  ): Promise<Dashboard> {
    assertUuid(id)
    const request = { params: { dashboard_id: id }, doing: `update dashboard ${id}` }
    return await this.transport.call(routes.dashboards.update, {
      ...request,
      body: { name, charts, modified_at: modifiedAt, expected },
      ...options,
    })
  }

  async deleteDashboard(id: string, options: CallOptions = {}): Promise<void> {
    assertUuid(id)
    await this.transport.send(routes.dashboards.delete, {
      params: { dashboard_id: id },
      doing: `delete dashboard ${id}`,
      ...options,
    })
  }
}
