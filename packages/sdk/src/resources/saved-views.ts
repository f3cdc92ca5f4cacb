import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { RunViewState, SavedView } from '../schemas.ts'
import { Calls } from './calls.ts'

/** Named ways to look at runs, of everybody in the workspace or of the caller alone. Extensions of ours. */
export class SavedViewCalls extends Calls {
  /** Views of the workspace and, if one is named, of a project, shared ones and the caller's own; by name. */
  async listSavedViews(
    { projectId }: { projectId?: string | undefined } = {},
    options: CallOptions = {},
  ): Promise<SavedView[]> {
    if (projectId !== undefined) assertUuid(projectId, 'projectId')
    const query = { session_id: projectId }
    return await this.transport.call(routes.savedViews.list, { query, doing: 'list saved views', ...options })
  }

  /**
   * @param view  `isPersonal` (default false): only the caller sees it
   * @throws a conflict when the name is taken in that project, or among those of the workspace
   */
  async createSavedView(
    view: { name: string; projectId?: string | undefined; state: RunViewState; isPersonal?: boolean | undefined },
    options: CallOptions = {},
  ): Promise<SavedView> {
    if (view.projectId !== undefined) assertUuid(view.projectId, 'projectId')
    const body = { name: view.name, session_id: view.projectId, state: view.state, is_personal: view.isPersonal }
    return await this.transport.call(routes.savedViews.create, { body, doing: 'save a view', ...options })
  }

  /** What is not given stays; a state replaces the whole state. */
  async updateSavedView(
    id: string,
    {
      isPersonal,
      ...change
    }: {
      name?: string | undefined
      state?: RunViewState | undefined
      isPersonal?: boolean | undefined
      /** What the change is based on: a conflict when a field has another value by now. */
      expected?: { name?: string | undefined; state?: RunViewState | undefined } | undefined
    },
    options: CallOptions = {},
  ): Promise<SavedView> {
    assertUuid(id)
    const doing = `update view ${id}`
    const body = { ...change, is_personal: isPersonal }
    return await this.transport.call(routes.savedViews.update, { params: { view_id: id }, body, doing, ...options })
  }

  async deleteSavedView(id: string, options: CallOptions = {}): Promise<void> {
    assertUuid(id)
    await this.transport.send(routes.savedViews.delete, {
      params: { view_id: id },
      doing: `delete view ${id}`,
      ...options,
    })
  }
}
