import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type {
  ModelProvider,
  ModelProviderChange,
  ModelProviderTest,
  ModelProviderTestAnswer,
  ModelProviderWrite,
  ProviderModelList,
  SecretKeyStatus,
} from '../schemas.ts'
import { Calls } from './calls.ts'

/** Connections of a workspace to providers of models. No call returns their keys. Extensions of ours. */
export class ModelProviderCalls extends Calls {
  /** By name. */
  async listModelProviders(options: CallOptions = {}): Promise<ModelProvider[]> {
    return await this.transport.call(routes.modelProviders.list, { doing: 'list model providers', ...options })
  }

  async readModelProvider(id: string, options: CallOptions = {}): Promise<ModelProvider> {
    const request = { params: toParams(id), doing: `read model provider ${id}`, ...options }
    return await this.transport.call(routes.modelProviders.read, request)
  }

  /**
   * For admins.
   *
   * @throws ConflictError for a name that is taken
   * @throws BadRequestError for a URL that the server may not call
   */
  async createModelProvider(provider: ModelProviderWrite, options: CallOptions = {}): Promise<ModelProvider> {
    const request = { body: provider, doing: 'create a model provider', ...options }
    return await this.transport.call(routes.modelProviders.create, request)
  }

  /**
   * For admins. Absent fields stay, and a header with the value `********` keeps its value. Another kind, base URL or header
   * removes the stored key (`key_cleared`): give `key` with the change to keep calls working.
   */
  async updateModelProvider(
    id: string,
    change: ModelProviderChange,
    options: CallOptions = {},
  ): Promise<ModelProvider> {
    const request = { params: toParams(id), body: change, doing: `update model provider ${id}`, ...options }
    return await this.transport.call(routes.modelProviders.update, request)
  }

  /** For admins. */
  async deleteModelProvider(id: string, options: CallOptions = {}): Promise<void> {
    const request = { params: toParams(id), doing: `delete model provider ${id}`, ...options }
    await this.transport.send(routes.modelProviders.delete, request)
  }

  /**
   * Reads the provider's list of models, and makes a short call if `model` is given. For admins. Failures of the provider
   * are in the answer and not thrown.
   */
  async testModelProvider(test: ModelProviderTest, options: CallOptions = {}): Promise<ModelProviderTestAnswer> {
    const request = { body: test, doing: 'test a model provider', timeoutMs: 60_000, ...options }
    return await this.transport.call(routes.modelProviders.test, request)
  }

  /** Models that the provider lists, that were typed for it, and that have a price. For members. */
  async listProviderModels(id: string, options: CallOptions = {}): Promise<ProviderModelList> {
    const request = {
      params: toParams(id),
      doing: `list models of model provider ${id}`,
      timeoutMs: 30_000,
      ...options,
    }
    return await this.transport.call(routes.modelProviders.listModels, request)
  }

  /** With which secret keys of the server the keys of all providers are encrypted. For server administrators. */
  async readSecretKeyStatus(options: CallOptions = {}): Promise<SecretKeyStatus> {
    return await this.transport.call(routes.modelProviders.keyStatus, { doing: 'read the secret keys', ...options })
  }

  /** Encrypts the keys of all providers with the first secret key of the server. For server administrators. */
  async rotateSecretKeys(options: CallOptions = {}): Promise<SecretKeyStatus> {
    return await this.transport.call(routes.modelProviders.rotateKeys, { doing: 'rotate the secret keys', ...options })
  }
}

function toParams(id: string): { provider_id: string } {
  assertUuid(id)
  return { provider_id: id }
}
