import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { RunViewState, SavedView } from '../schemas.ts'
import { Calls } from './calls.ts'

/** Named ways to look at runs, shared by everybody in the workspace. Extensions of ours. */
export class SavedViewCalls extends Calls {
  /** Views of the workspace and, if one is named, of a project; by name. */
  async listSavedViews(
    { projectId }: { projectId?: string | undefined } = {},
    options: CallOptions = {},
  ): Promise<SavedView[]> {
    if (projectId !== undefined) assertUuid(projectId, 'projectId')
    const query = { session_id: projectId }
    return await this.transport.json({ method: 'GET', path: PATH, query, doing: 'list saved views', ...options })
  }

  /** @throws a conflict when the name is taken in that project, or among those of the workspace */
  async createSavedView(
    view: { name: string; projectId?: string | undefined; state: RunViewState },
    options: CallOptions = {},
  ): Promise<SavedView> {
    if (view.projectId !== undefined) assertUuid(view.projectId, 'projectId')
    const body = { name: view.name, session_id: view.projectId, state: view.state }
    return await this.transport.json({ method: 'POST', path: PATH, body, doing: 'save a view', ...options })
  }

  /** What is not given stays; a state replaces the whole state. */
  async updateSavedView(
    id: string,
    change: { name?: string | undefined; state?: RunViewState | undefined },
    options: CallOptions = {},
  ): Promise<SavedView> {
    assertUuid(id)
    const doing = `update view ${id}`
    return await this.transport.json({ method: 'PATCH', path: `${PATH}/${id}`, body: change, doing, ...options })
  }

  async deleteSavedView(id: string, options: CallOptions = {}): Promise<void> {
    assertUuid(id)
    await this.transport.send({ method: 'DELETE', path: `${PATH}/${id}`, doing: `delete view ${id}`, ...options })
  }
}

const PATH = '/ui/views'
