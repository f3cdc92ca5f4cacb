import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { ApiKey, NewApiKey, Role } from '../schemas.ts'
import { Calls } from './calls.ts'

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
