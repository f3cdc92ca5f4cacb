import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import type { PromptEnvironments } from '../schemas.ts'
import { Calls } from './calls.ts'

export interface PromptEnvironmentParams {
  /** Name of the tag, e.g. `staging`. */
  name: string
  /** The least role that may make, move or remove it. @default 'admin' */
  leastRole?: 'member' | 'admin' | undefined
}

/** Environments are tags that not everybody may move. Extensions of ours. */
export class PromptEnvironmentCalls extends Calls {
  /** Those of the workspace: `production`, which admins move, until others are set. */
  async readPromptEnvironments(options: CallOptions = {}): Promise<PromptEnvironments> {
    return await this.transport.call(routes.promptEnvironments.read, { doing: 'read prompt environments', ...options })
  }

  /**
   * Puts one to four environments in the place of those there are; tags and their history stay. For admins.
   *
   * @throws PermissionDeniedError for anyone else
   */
  async updatePromptEnvironments(
    environments: readonly PromptEnvironmentParams[],
    options: CallOptions = {},
  ): Promise<PromptEnvironments> {
    const { id } = await this.readPromptEnvironments(options)
    return await this.transport.call(routes.promptEnvironments.update, {
      params: { id },
      body: { environments: environments.map(({ name, leastRole }) => ({ name, least_role: leastRole })) },
      doing: 'update prompt environments',
      ...options,
    })
  }

  /** Goes back to what every workspace begins with. For admins. */
  async resetPromptEnvironments(options: CallOptions = {}): Promise<PromptEnvironments> {
    const { id } = await this.readPromptEnvironments(options)
    return await this.transport.call(routes.promptEnvironments.delete, {
      params: { id },
      doing: 'reset prompt environments',
      ...options,
    })
  }
}
