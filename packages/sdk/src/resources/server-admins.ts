import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { ServerAdmin } from '../schemas.ts'
import { Calls } from './calls.ts'

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
