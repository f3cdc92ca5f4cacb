import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import type { Me, ServerInfo, WorkspaceSettings } from '../schemas.ts'
import type { Transport } from '../transport/transport.ts'
import { Calls } from './calls.ts'

/** The server itself, the workspace the key belongs to, and whom it speaks for. */
export class ServerCalls extends Calls {
  /** Version, limits and abilities; needs no key. */
  async getInfo(options: CallOptions = {}): Promise<ServerInfo> {
    return await readServerInfo(this.transport, options)
  }

  async getSettings(options: CallOptions = {}): Promise<WorkspaceSettings> {
    return await this.transport.call(routes.workspaces.settings, { doing: 'read the settings', ...options })
  }

  /** Whom this client speaks for, and with which role. An extension of ours. */
  async readMe(options: CallOptions = {}): Promise<Me> {
    return await this.transport.call(routes.accounts.me, { doing: 'read who this is', ...options })
  }
}

export async function readServerInfo(transport: Transport, options: CallOptions = {}): Promise<ServerInfo> {
  const doing = 'read the server information'
  return await transport.call(routes.info.read, { doing, timeoutMs: 10_000, ...options })
}
