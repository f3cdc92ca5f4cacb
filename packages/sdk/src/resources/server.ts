import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import type { ApiRoute, Me, ServerInfo, WorkspaceSettings } from '../schemas.ts'
import type { RawRequest } from '../transport/request.ts'
import type { Transport } from '../transport/transport.ts'
import { Calls } from './calls.ts'

/** The server, the workspace of the key, and the owner of the key. */
export class ServerCalls extends Calls {
  /** Version, limits and features of the server. Needs no key. */
  async getInfo(options: CallOptions = {}): Promise<ServerInfo> {
    return await readServerInfo(this.transport, options)
  }

  async getSettings(options: CallOptions = {}): Promise<WorkspaceSettings> {
    return await this.transport.call(routes.workspaces.settings, { doing: 'read the settings', ...options })
  }

  /** The owner of the key, with their role. An extension of ours. */
  async readMe(options: CallOptions = {}): Promise<Me> {
    return await this.transport.call(routes.accounts.me, { doing: 'read who this is', ...options })
  }

  /**
   * The response of any route, with its body unread: for bytes that a program does not want parsed. Credentials, retries
   * and errors are those of every call. The time-out covers the headers; `signal` also aborts the body. An extension of
   * ours.
   *
   * `const response = await client.raw({ method: 'GET', path: '/runs/{run_id}' }, { params: { run_id: id } })`
   *
   * @throws APIError when the status is not 2xx
   */
  async raw(route: ApiRoute, request: RawRequest = {}): Promise<Response> {
    return await this.transport.raw(route, request)
  }
}

export async function readServerInfo(transport: Transport, options: CallOptions = {}): Promise<ServerInfo> {
  const doing = 'read the server information'
  return await transport.call(routes.info.read, { doing, timeoutMs: 10_000, ...options })
}
