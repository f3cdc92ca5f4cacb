import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { Invite, InviteView, Me, Member, NewInvite, Role } from '../schemas.ts'
import { Calls } from './calls.ts'

export interface CreateInviteParams {
  /** @default 'member' */
  role?: Role | undefined
  /** The only address that may use it. */
  email?: string | undefined
  /** 1 to 30. @default 7 */
  expiresInDays?: number | undefined
}

export interface AcceptInviteParams {
  email: string
  /** At least 10 characters. */
  password: string
  /** @default what stands before the @ of the address */
  name?: string | undefined
}

/** People of the workspace. Changes are for admins. Extensions of ours. */
export class MemberCalls extends Calls {
  async listMembers(options: CallOptions = {}): Promise<Member[]> {
    return await this.transport.call(routes.members.list, { doing: 'list members', ...options })
  }

  /** Holds at once. The last admin stays one. */
  async updateMember(id: string, changes: { role: Role }, options: CallOptions = {}): Promise<Member> {
    assertUuid(id)
    const request = { params: { id }, body: { role: changes.role } }
    return await this.transport.call(routes.members.changeRole, {
      ...request,
      doing: `change the role of member ${id}`,
      ...options,
    })
  }

  /**
   * Removes a member at once, with their keys and invites. `revokeKeys: false` keeps the keys, with at most the role that
   * the person had. An account without another workspace ends. The last admin cannot be removed.
   */
  async removeMember(id: string, params: { revokeKeys?: boolean } = {}, options: CallOptions = {}): Promise<void> {
    assertUuid(id)
    const request = { params: { id }, query: { revoke_keys: params.revokeKeys } }
    await this.transport.send(routes.members.remove, { ...request, doing: `remove member ${id}`, ...options })
  }

  /** Those that still work, newest first. */
  async listInvites(options: CallOptions = {}): Promise<Invite[]> {
    return await this.transport.call(routes.members.listInvites, { doing: 'list invites', ...options })
  }

  /** The answer is the only place that shows the token. */
  async createInvite(params: CreateInviteParams = {}, options: CallOptions = {}): Promise<NewInvite> {
    const { role, email, expiresInDays } = params
    const body = { role, email, expires_in_days: expiresInDays }
    return await this.transport.call(routes.members.invite, { body, doing: 'create an invite', ...options })
  }

  async revokeInvite(id: string, options: CallOptions = {}): Promise<void> {
    assertUuid(id)
    await this.transport.send(routes.members.revokeInvite, { params: { id }, doing: `revoke invite ${id}`, ...options })
  }

  /** @throws NotFoundError for unknown, used, revoked and expired ones alike */
  async readInvite(token: string, options: CallOptions = {}): Promise<InviteView> {
    return await this.transport.call(routes.members.readInvite, {
      params: { token },
      doing: 'read the invitation',
      ...options,
    })
  }

  /** Joins the workspace of the invite with the account that is signed in. */
  async joinByInvite(token: string, options: CallOptions = {}): Promise<Me> {
    const request = { params: { token }, doing: 'join the workspace' }
    return await this.transport.call(routes.members.joinByInvite, { ...request, maxRetries: 0, ...options })
  }

  /** Makes the account that the invite is for, or takes the one that has the address and this password; signs it in. */
  async acceptInvite(token: string, params: AcceptInviteParams, options: CallOptions = {}): Promise<Me> {
    const { email, password, name } = params
    return await this.transport.call(routes.members.acceptInvite, {
      params: { token },
      body: { email, password, name },
      doing: 'accept the invitation',
      maxRetries: 0,
      ...options,
    })
  }
}
