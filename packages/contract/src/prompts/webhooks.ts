import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { historyPage } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { WebhookHeaders } from '../wire/webhook-headers.ts'

/** What a webhook may hear of; `tag:delete` is ours. */
export const WEBHOOK_TRIGGERS = ['commit', 'tag:create', 'tag:update', 'tag:delete'] as const
export const WebhookTrigger = z.enum(WEBHOOK_TRIGGERS)
export type WebhookTrigger = z.infer<typeof WebhookTrigger>

const Prompts = z.array(Uuid).max(1000)

const fields = {
  /** http or https, without user and password. */
  url: z.string().max(2000),
  /** Sent with each delivery, e.g. `authorization`; encrypted where they are stored. */
  headers: WebhookHeaders.nullish(),
  /** Ids of the prompts whose events are delivered; empty or absent: all. */
  include_prompts: Prompts.nullish(),
  /** Ids of prompts whose events are not. */
  exclude_prompts: Prompts.nullish(),
  /** @default ["commit"] */
  triggers: z.array(WebhookTrigger).min(1).nullish(),
}

export const PromptWebhookCreate = z.object({ id: Uuid.nullish(), ...fields })
export type PromptWebhookCreate = z.output<typeof PromptWebhookCreate>

/**
 * Absent means unchanged. A URL that differs in more than its query gets none of the secrets of the one before: headers whose values are not
 * given again are removed, and deliveries are signed with a new secret, which the response contains.
 */
export const PromptWebhookUpdate = z.object({
  ...fields,
  url: fields.url.optional(),
  /** Ours: make a new signing secret, and answer it. */
  rotate_secret: z.boolean().optional(),
  /**
   * What the change is based on, field by field. 409 when a field has another value by now; its problems name these
   * fields. Of `headers`, whose values are hidden, only the names count. An extension of ours.
   */
  expected: z
    .object({
      url: z.string(),
      headers: z.record(z.string(), z.string()),
      include_prompts: z.array(z.string()),
      exclude_prompts: z.array(z.string()),
      triggers: z.array(z.string()),
    })
    .partial()
    .nullish(),
})
export type PromptWebhookUpdate = z.output<typeof PromptWebhookUpdate>

export const PromptWebhook = z.object({
  id: z.string(),
  tenant_id: z.string(),
  url: z.string(),
  /** Each value hidden. */
  headers: z.record(z.string(), z.string()),
  include_prompts: z.array(z.string()),
  exclude_prompts: z.array(z.string()),
  triggers: z.array(WebhookTrigger),
  created_at: z.string(),
  updated_at: z.string(),
  /** `whsec_` and the key that signs deliveries. Returned when it is created, null afterwards. An extension of ours. */
  secret: z.string().nullable(),
  /** Headers that this change removed because the URL changed in more than its query. Set their values again. An extension of ours. */
  cleared_headers: z.array(z.string()),
})
export type PromptWebhook = z.infer<typeof PromptWebhook>

/** One event on its way to one webhook. */
export const WebhookDelivery = z.object({
  /** Also the `webhook-id` header, the same at each try. */
  id: z.string(),
  webhook_id: z.string(),
  event: WebhookTrigger,
  prompt_id: z.string(),
  prompt_name: z.string(),
  commit_hash: z.string(),
  tag_name: z.string().nullable(),
  /** `pending` until the receiver has answered with 2xx, or was tried too often. */
  status: z.enum(['pending', 'delivered', 'failed']),
  attempts: z.int(),
  /** Status of the last answer. */
  response_status: z.int().nullable(),
  /** Its first 1000 characters. */
  response_text: z.string().nullable(),
  /** Why the last try failed. */
  error: z.string().nullable(),
  created_at: z.string(),
  attempted_at: z.string().nullable(),
})
export type WebhookDelivery = z.infer<typeof WebhookDelivery>

/** With the id of a stored webhook its secrets are used, if the URL differs in its query at most. */
export const WebhookTest = z.object({
  webhook: PromptWebhookCreate,
  /** Delivered as it is; absent, an example of a commit. */
  payload: z.record(z.string(), z.unknown()).nullish(),
})

/** What a receiver did with a test. */
export const WebhookTestAnswer = z.object({
  delivered: z.boolean(),
  response_status: z.int().nullable(),
  response_text: z.string().nullable(),
  error: z.string().nullable(),
})
export type WebhookTestAnswer = z.infer<typeof WebhookTestAnswer>

const tag = 'prompt webhooks'
const path = z.object({ webhook_id: Uuid })

export const promptWebhookRoutes = describeRoutes(routes.promptWebhooks, tag, {
  list: {
    summary: 'Webhooks of the workspace, newest first',
    answer: z.array(PromptWebhook),
  },
  create: {
    summary: 'Call a URL when prompts change; answers the secret that deliveries are signed with, once',
    body: PromptWebhookCreate,
    answer: PromptWebhook,
  },
  read: {
    summary: 'One webhook',
    params: path,
    answer: PromptWebhook,
  },
  update: {
    summary:
      'Change a webhook, or make it a new secret; a URL that differs in more than its query clears headers and secret',
    params: path,
    body: PromptWebhookUpdate,
    answer: PromptWebhook,
  },
  delete: {
    summary: 'Remove a webhook with its deliveries',
    params: path,
  },
  test: {
    summary: 'Deliver once, now, and say what the receiver answered',
    body: WebhookTest,
    answer: WebhookTestAnswer,
  },
  deliveries: {
    extension: true,
    summary: 'What was delivered in the last 30 days, and what was not; newest first',
    params: path,
    query: z.object(historyPage),
    answer: z.object({ deliveries: z.array(WebhookDelivery), total: z.int() }),
  },
  redeliver: {
    extension: true,
    summary:
      'Deliver the same event again, as a new delivery; 404 when the prompt or its commit was deleted, 409 when its tag has changed since',
    params: path.extend({ delivery_id: Uuid }),
    answer: WebhookDelivery,
  },
})
