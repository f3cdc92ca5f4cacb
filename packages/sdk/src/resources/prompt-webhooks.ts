import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type {
  KVMap,
  PromptWebhook,
  PromptWebhookDelivery,
  PromptWebhookTestAnswer,
  PromptWebhookTrigger,
} from '../schemas.ts'
import { Calls } from './calls.ts'

export interface PromptWebhookParams {
  /** http or https, without user and password; on the public internet unless the server's operator allows more. */
  url: string
  /** Sent with each delivery. Never shown again: they are listed with `********` for a value. */
  headers?: Record<string, string> | undefined
  /** Ids of the prompts whose events are delivered. @default all */
  includePrompts?: readonly string[] | undefined
  excludePrompts?: readonly string[] | undefined
  /** @default ['commit'] */
  triggers?: readonly PromptWebhookTrigger[] | undefined
}

export interface UpdatePromptWebhookParams extends Partial<PromptWebhookParams> {
  /** Makes a new secret, which the answer tells; the old one signs nothing from now on. */
  rotateSecret?: boolean | undefined
  /** What the change is based on: a ConflictError when a field has another value by now. Of headers only names count. */
  expected?: Partial<PromptWebhookParams> | undefined
}

/** URLs that are called when prompts change. Extensions of ours. */
export class PromptWebhookCalls extends Calls {
  /** All of the workspace, newest first. */
  async listPromptWebhooks(options: CallOptions = {}): Promise<PromptWebhook[]> {
    return await this.transport.call(routes.promptWebhooks.list, { doing: 'list prompt webhooks', ...options })
  }

  async readPromptWebhook(id: string, options: CallOptions = {}): Promise<PromptWebhook> {
    const request = { params: toParams(id), doing: `read prompt webhook ${id}`, ...options }
    return await this.transport.call(routes.promptWebhooks.read, request)
  }

  /**
   * For admins. `secret` of the response signs deliveries (https://www.standardwebhooks.com). It is returned only this
   * once.
   *
   * @throws BadRequestError for a URL that the server may not call
   */
  async createPromptWebhook(params: PromptWebhookParams, options: CallOptions = {}): Promise<PromptWebhook> {
    const doing = 'create a prompt webhook'
    return await this.transport.call(routes.promptWebhooks.create, {
      body: { ...toBody(params), url: params.url },
      doing,
      ...options,
    })
  }

  /**
   * For admins. Absent fields stay; a header with the value `********` keeps its value. A URL that differs in more than its query gets no old
   * secret: headers that are not given again are removed (`cleared_headers`), and `secret` is a new one.
   */
  async updatePromptWebhook(
    id: string,
    params: UpdatePromptWebhookParams,
    options: CallOptions = {},
  ): Promise<PromptWebhook> {
    return await this.transport.call(routes.promptWebhooks.update, {
      params: toParams(id),
      body: {
        ...toBody(params),
        rotate_secret: params.rotateSecret,
        expected: params.expected && toBody(params.expected),
      },
      doing: `update prompt webhook ${id}`,
      ...options,
    })
  }

  /** For admins. Takes the list of its deliveries with it. */
  async deletePromptWebhook(id: string, options: CallOptions = {}): Promise<void> {
    const request = { params: toParams(id), doing: `delete prompt webhook ${id}`, ...options }
    await this.transport.call(routes.promptWebhooks.delete, request)
  }

  /**
   * Delivers once, now, and tells what the receiver answered. For admins.
   *
   * @param webhook  one to be, or with `id` one that exists, whose secret and hidden headers are used at its own origin
   * @param payload  @default an example of a commit
   */
  async testPromptWebhook(
    webhook: PromptWebhookParams & { id?: string | undefined },
    payload?: KVMap,
    options: CallOptions = {},
  ): Promise<PromptWebhookTestAnswer> {
    return await this.transport.call(routes.promptWebhooks.test, {
      body: { webhook: { ...toBody(webhook), url: webhook.url, id: webhook.id }, payload },
      doing: 'test a prompt webhook',
      ...options,
    })
  }

  /**
   * Delivers the event of an earlier delivery again, as a new delivery. For admins.
   *
   * @throws NotFoundError when the prompt or its commit was deleted
   */
  async redeliverPromptWebhook(
    id: string,
    deliveryId: string,
    options: CallOptions = {},
  ): Promise<PromptWebhookDelivery> {
    assertUuid(deliveryId)
    const params = { ...toParams(id), delivery_id: deliveryId }
    const request = { params, doing: `redeliver to prompt webhook ${id}`, maxRetries: 0 }
    return await this.transport.call(routes.promptWebhooks.redeliver, { ...request, ...options })
  }

  /** What was delivered in the last 30 days and what was not, newest first. For admins. */
  async listPromptWebhookDeliveries(
    id: string,
    { limit, offset }: { limit?: number | undefined; offset?: number | undefined } = {},
    options: CallOptions = {},
  ): Promise<{ deliveries: PromptWebhookDelivery[]; total: number }> {
    return await this.transport.call(routes.promptWebhooks.deliveries, {
      params: toParams(id),
      query: { limit, offset },
      doing: `list deliveries of prompt webhook ${id}`,
      ...options,
    })
  }
}

function toParams(id: string): { webhook_id: string } {
  assertUuid(id)
  return { webhook_id: id }
}

function toBody({ url, headers, includePrompts, excludePrompts, triggers }: Partial<PromptWebhookParams>) {
  return {
    url,
    headers,
    include_prompts: includePrompts && [...includePrompts],
    exclude_prompts: excludePrompts && [...excludePrompts],
    triggers: triggers && [...triggers],
  }
}
