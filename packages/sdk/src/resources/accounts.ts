import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type {
  ApiKey,
  AuthState,
  Invite,
  InviteView,
  Me,
  Member,
  NewApiKey,
  NewInvite,
  Role,
  SetUpDone,
  SignIn,
} from '../schemas.ts'
import { Calls } from './calls.ts'

export interface SetUpParams {
  email: string
  /** At least 10 characters. */
  password: string
  /** @default what stands before the @ of the address */
  name?: string | undefined
  workspaceName: string
  projectName: string
  /** What the server printed, where it asks for it. */
  code?: string | undefined
}

/** A wrong password does not get better by being sent again. */
const ONCE = { maxRetries: 0 }

/** Accounts of people, for clients in a browser: a sign-in is a cookie. Extensions of ours. */
export class AccountCalls extends Calls {
  /** Whether the server is open, set up, or waits to be; asks for nothing. */
  async readAuthState(options: CallOptions = {}): Promise<AuthState> {
    return await this.transport.call(routes.accounts.state, { doing: 'read who may come in', ...options })
  }

  /**
   * Makes the first account of an empty server, an admin, and signs it in. The server is closed from then on.
   *
   * @throws PermissionDeniedError once there are people or keys, or with a wrong code
   */
  async setUpServer(params: SetUpParams, options: CallOptions = {}): Promise<SetUpDone> {
    const { email, password, name, workspaceName, projectName, code } = params
    return await this.transport.call(routes.accounts.setUp, {
      body: { email, password, name, workspace_name: workspaceName, project_name: projectName, code },
      doing: 'set the server up',
      ...ONCE,
      ...options,
    })
  }

  /** @throws AuthenticationError without saying what was wrong, RateLimitError after too many mistakes */
  async signIn(credentials: { email: string; password: string }, options: CallOptions = {}): Promise<Me> {
    const { email, password } = credentials
    const request = { body: { email, password }, doing: 'sign in' }
    return await this.transport.call(routes.accounts.signIn, { ...request, ...ONCE, ...options })
  }

  async signOut(options: CallOptions = {}): Promise<void> {
    await this.transport.send(routes.accounts.signOut, { doing: 'sign out', ...options })
  }

  /** Leaves the workspace of the client, which ends one's keys and invites there. The last admin cannot leave. */
  async leaveWorkspace(options: CallOptions = {}): Promise<void> {
    const request = { doing: 'leave the workspace' }
    await this.transport.send(routes.accounts.leave, { ...request, ...ONCE, ...options })
  }

  async updateMe(changes: { name: string }, options: CallOptions = {}): Promise<Me> {
    const request = { body: { name: changes.name }, doing: 'change the name' }
    return await this.transport.call(routes.accounts.update, { ...request, ...options })
  }

  /** Ends all other sign-ins. */
  async changePassword(
    change: { currentPassword: string; newPassword: string },
    options: CallOptions = {},
  ): Promise<void> {
    await this.transport.send(routes.accounts.changePassword, {
      body: { current_password: change.currentPassword, new_password: change.newPassword },
      doing: 'change the password',
      ...ONCE,
      ...options,
    })
  }

  /** Where this person is signed in, last used first. */
  async listSignIns(options: CallOptions = {}): Promise<SignIn[]> {
    return await this.transport.call(routes.accounts.listSignIns, { doing: 'list sign-ins', ...options })
  }

  async endSignIn(id: string, options: CallOptions = {}): Promise<void> {
    assertUuid(id)
    await this.transport.send(routes.accounts.endSignIn, { params: { id }, doing: 'end a sign-in', ...options })
  }
}

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

export interface CreateApiKeyParams {
  description?: string | undefined
  expiresAt?: string | Date | undefined
  /** Short for the role `viewer`. @default false */
  readOnly?: boolean | undefined
  /** Not above that of the client's own key. @default that of the client's own key */
  role?: Role | undefined
}

export class ApiKeyCalls extends Calls {
  async listApiKeys(options: CallOptions = {}): Promise<ApiKey[]> {
    return await this.transport.call(routes.apiKeys.list, { doing: 'list API keys', ...options })
  }

  /** The answer is the only place that shows the key. */
  async createApiKey(params: CreateApiKeyParams = {}, options: CallOptions = {}): Promise<NewApiKey> {
    const { description, expiresAt, readOnly, role } = params
    return await this.transport.call(routes.apiKeys.create, {
      body: { description, expires_at: expiresAt && new Date(expiresAt).toISOString(), read_only: readOnly, role },
      doing: 'create an API key',
      ...options,
    })
  }

  async revokeApiKey(id: string, options: CallOptions = {}): Promise<void> {
    assertUuid(id)
    await this.transport.send(routes.apiKeys.revoke, { params: { id }, doing: `revoke API key ${id}`, ...options })
  }
}
