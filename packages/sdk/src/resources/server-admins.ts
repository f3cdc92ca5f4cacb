import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { ServerAdmin } from '../schemas.ts'
import { Calls } from './calls.ts'

/** People who administer the server; for them alone. Extensions of ours. */
export class ServerAdminCalls extends Calls {
  /** By name. */
  async listServerAdmins(options: CallOptions = {}): Promise<ServerAdmin[]> {
    return await this.transport.json({ method: 'GET', path: ADMINS, doing: 'list server administrators', ...options })
  }

  /**
   * Makes the person who has this address a server administrator, at once.
   *
   * @throws NotFoundError when no account has the address
   */
  async addServerAdmin(email: string, options: CallOptions = {}): Promise<ServerAdmin> {
    const call = { method: 'POST', path: ADMINS, body: { email }, doing: 'appoint a server administrator' } as const
    return await this.transport.json({ ...call, ...options })
  }

  /** Ends that a person is one, at once. The last one stays. */
  async removeServerAdmin(id: string, options: CallOptions = {}): Promise<void> {
    assertUuid(id)
    const call = { method: 'DELETE', path: `${ADMINS}/${id}`, doing: `remove server administrator ${id}` } as const
    await this.transport.send({ ...call, ...options })
  }
}

const ADMINS = '/server/admins'
