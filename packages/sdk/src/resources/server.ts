import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { Me, ServerInfo, Workspace, WorkspaceSettings } from '../schemas.ts'
import type { Transport } from '../transport/transport.ts'
import { Calls } from './calls.ts'

/** The server itself, the workspace the key belongs to, and whom it speaks for. */
export class ServerCalls extends Calls {
  /** Version, limits and abilities; needs no key. */
  async getInfo(options: CallOptions = {}): Promise<ServerInfo> {
    return await readServerInfo(this.transport, options)
  }

  async getSettings(options: CallOptions = {}): Promise<WorkspaceSettings> {
    return await this.transport.json({ method: 'GET', path: '/settings', doing: 'read the settings', ...options })
  }

  /** Whom this client speaks for, and with which role. An extension of ours. */
  async readMe(options: CallOptions = {}): Promise<Me> {
    return await this.transport.json({ method: 'GET', path: '/auth/me', doing: 'read who this is', ...options })
  }

  /** Renames the workspace that the key belongs to. An extension of ours. */
  async renameWorkspace(displayName: string, options: CallOptions = {}): Promise<WorkspaceSettings> {
    return await this.transport.json({
      method: 'PATCH',
      path: '/workspaces/current',
      body: { display_name: displayName },
      doing: 'rename the workspace',
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
    return await this.transport.json({
      method: 'POST',
      path: '/workspaces',
      body: { display_name: params.displayName, tenant_handle: params.tenantHandle },
      doing: 'create a workspace',
      maxRetries: 0,
      ...options,
    })
  }

  /** Renames any workspace that the caller is an admin of. */
  async updateWorkspace(id: string, changes: { displayName: string }, options: CallOptions = {}): Promise<Workspace> {
    assertUuid(id)
    return await this.transport.json({
      method: 'PATCH',
      path: `/workspaces/${id}`,
      body: { display_name: changes.displayName },
      doing: `rename workspace ${id}`,
      ...options,
    })
  }

  /** All workspaces of a person, the one of a key, every one on an open server; by name. */
  async listWorkspaces(options: CallOptions = {}): Promise<Workspace[]> {
    return await this.transport.json({ method: 'GET', path: '/workspaces', doing: 'list workspaces', ...options })
  }
}

export async function readServerInfo(transport: Transport, options: CallOptions = {}): Promise<ServerInfo> {
  const doing = 'read the server information'
  return await transport.json({ method: 'GET', path: '/info', doing, timeoutMs: 10_000, ...options })
}
