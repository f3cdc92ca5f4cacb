import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { Deletion, Workspace, WorkspaceSettings, WorkspaceStats } from '../schemas.ts'
import { Calls } from './calls.ts'

/** Workspaces of the caller. A client speaks to the one that its `workspaceId` names. */
export class WorkspaceCalls extends Calls {
  /**
   * Renames the workspace that the key belongs to. An extension of ours.
   *
   * @throws ConflictError when the workspace has another name than `expectedName` by now
   */
  async renameWorkspace(
    displayName: string,
    { expectedName, ...options }: CallOptions & { expectedName?: string | undefined } = {},
  ): Promise<WorkspaceSettings> {
    const expected = expectedName === undefined ? undefined : { display_name: expectedName }
    return await this.transport.call(routes.workspaces.rename, {
      body: { display_name: displayName, expected },
      doing: 'rename the workspace',
      ...options,
    })
  }

  /**
   * Gives the workspace of the key its public handle, the owner of its public prompts. It cannot be changed later. For
   * admins.
   *
   * @throws ConflictError when another workspace has it
   */
  async setWorkspaceHandle(handle: string, options: CallOptions = {}): Promise<WorkspaceSettings> {
    return await this.transport.call(routes.workspaces.setHandle, {
      body: { tenant_handle: handle },
      doing: 'set the handle of the workspace',
      maxRetries: 0,
      ...options,
    })
  }

  /**
   * Creates a workspace with an empty project; the person who is signed in becomes its admin. A client with the new id as
   * its `workspaceId` speaks to it.
   *
   * @throws PermissionDeniedError for keys, which belong to one workspace; ConflictError when the handle is taken
   */
  async createWorkspace(
    params: { displayName: string; tenantHandle?: string | undefined },
    options: CallOptions = {},
  ): Promise<Workspace> {
    return await this.transport.call(routes.workspaces.create, {
      body: { display_name: params.displayName, tenant_handle: params.tenantHandle },
      doing: 'create a workspace',
      maxRetries: 0,
      ...options,
    })
  }

  /** Renames any workspace that the caller is an admin of. */
  async updateWorkspace(id: string, changes: { displayName: string }, options: CallOptions = {}): Promise<Workspace> {
    assertUuid(id)
    return await this.transport.call(routes.workspaces.update, {
      params: { id },
      body: { display_name: changes.displayName },
      doing: `rename workspace ${id}`,
      ...options,
    })
  }

  /**
   * Deletes a workspace with everything in it. Its keys, members, invites and public links end at once; a job removes the
   * data within minutes, and `readDeletion` of another workspace tells how far it is. For admins of the workspace, and for
   * server administrators who are signed in; a key deletes its own workspace alone.
   *
   * @returns the record of the deletion
   * @throws BadRequestError for the last workspace of the server
   */
  async deleteWorkspace(id: string, options: CallOptions = {}): Promise<Deletion> {
    assertUuid(id)
    const request = { params: { id }, doing: `delete workspace ${id}` }
    return await this.transport.call(routes.workspaces.delete, { ...request, maxRetries: 0, ...options })
  }

  /** How much the workspace holds: projects, experiments, datasets, prompts, API keys, feedback keys. */
  async readWorkspaceStats(options: CallOptions = {}): Promise<WorkspaceStats> {
    return await this.transport.call(routes.workspaces.stats, { doing: 'count what the workspace holds', ...options })
  }

  /** All workspaces of a person, the one of a key, every one on an open server; by name. */
  async listWorkspaces(options: CallOptions = {}): Promise<Workspace[]> {
    return await this.transport.call(routes.workspaces.list, { doing: 'list workspaces', ...options })
  }
}
