import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { ApiRoute, Backup, BackupList, Me, ServerAdmin, ServerInfo, WorkspaceSettings } from '../schemas.ts'
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

/** People who administer the server; for them alone. Extensions of ours. */
export class ServerAdminCalls extends Calls {
  /** By name. */
  async listServerAdmins(options: CallOptions = {}): Promise<ServerAdmin[]> {
    return await this.transport.call(routes.serverAdmins.list, { doing: 'list server administrators', ...options })
  }

  /**
   * Makes the person who has this address a server administrator, at once.
   *
   * @throws NotFoundError when no account has the address
   */
  async addServerAdmin(email: string, options: CallOptions = {}): Promise<ServerAdmin> {
    const request = { body: { email }, doing: 'appoint a server administrator' }
    return await this.transport.call(routes.serverAdmins.appoint, { ...request, ...options })
  }

  /** Ends that a person is one, at once. The last one stays. */
  async removeServerAdmin(id: string, options: CallOptions = {}): Promise<void> {
    assertUuid(id)
    const request = { params: { id }, doing: `remove server administrator ${id}` }
    await this.transport.send(routes.serverAdmins.remove, { ...request, ...options })
  }
}

/** Backups of the whole server, for server administrators. Extensions of ours. */
export class BackupCalls extends Calls {
  /** Backups in the backup directory of the server, newest first. */
  async listBackups(options: CallOptions = {}): Promise<BackupList> {
    return await this.transport.call(routes.backups.list, { doing: 'list backups', ...options })
  }

  /**
   * Starts a backup on the server's disk and answers while it runs; `readBackup` tells how far it is.
   *
   * @throws ConflictError while another backup is running
   */
  async createBackup(options: CallOptions = {}): Promise<Backup> {
    return await this.transport.call(routes.backups.create, { doing: 'start a backup', ...options })
  }

  async readBackup(id: string, options: CallOptions = {}): Promise<Backup> {
    return await this.transport.call(routes.backups.read, {
      params: { backup_id: id },
      doing: `read backup ${id}`,
      ...options,
    })
  }
}
