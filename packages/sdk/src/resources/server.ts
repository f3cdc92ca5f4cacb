import type { CallOptions } from '../config/client-config.ts'
import type { ServerInfo, Workspace, WorkspaceSettings } from '../schemas.ts'
import type { Transport } from '../transport/transport.ts'
import { Calls } from './calls.ts'

/** The server itself and the workspace the key belongs to. */
export class ServerCalls extends Calls {
  /** Version, limits and abilities; needs no key. */
  async getInfo(options: CallOptions = {}): Promise<ServerInfo> {
    return await readServerInfo(this.transport, options)
  }

  async getSettings(options: CallOptions = {}): Promise<WorkspaceSettings> {
    return await this.transport.json({ method: 'GET', path: '/settings', doing: 'read the settings', ...options })
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

  async listWorkspaces(options: CallOptions = {}): Promise<Workspace[]> {
    return await this.transport.json({ method: 'GET', path: '/workspaces', doing: 'list workspaces', ...options })
  }
}

export async function readServerInfo(transport: Transport, options: CallOptions = {}): Promise<ServerInfo> {
  const doing = 'read the server information'
  return await transport.json({ method: 'GET', path: '/info', doing, timeoutMs: 10_000, ...options })
}
