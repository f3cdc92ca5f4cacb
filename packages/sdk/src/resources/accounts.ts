import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { AuthState, Me, SetUpDone, SignIn } from '../schemas.ts'
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
