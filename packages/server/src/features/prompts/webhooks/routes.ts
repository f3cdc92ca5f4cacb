import { ApiError, contract, timeOfEpochMs } from '@touchstone/contract'
import { getMemberText, splitMembers } from '@touchstone/formats/cut-json'
import { assertUrlAllowed } from '../../../http/assert-url-allowed.ts'
import { type App, serve } from '../../../http/serve.ts'
import type { Job, Jobs } from '../../../jobs/open-jobs.ts'
import { fillMaskedHeaders, hasSameTarget, newSigningSecret } from '../../../outbound/signed-webhook.ts'
import { type Delivery, post, redeliver } from './deliver.ts'
import { deleteDeliveriesBefore, deleteWebhook, selectDeliveries, selectWebhook } from './store.ts'
import {
  changeWebhook,
  createWebhook,
  decryptHeaders,
  decryptSecret,
  getWebhook,
  listWebhooks,
  presentDelivery,
  readWebhook,
  type WebhookDeps,
} from './webhooks.ts'

const DAY_SECONDS = 86_400
const KEPT_DAYS = 30

export function promptWebhookRoutes(
  app: App,
  deps: WebhookDeps & { readonly jobs: Jobs; readonly deliveries: Job<Delivery> },
): void {
  const { promptWebhooks } = contract

  const forget = () =>
    deleteDeliveriesBefore(deps.relational.db, timeOfEpochMs(deps.clock() - KEPT_DAYS * DAY_SECONDS * 1000))
  deps.jobs.define('prompt-webhook-forget', forget, { everySeconds: DAY_SECONDS })

  serve(app, promptWebhooks.list, ({ caller }) => listWebhooks(deps, caller.tenantId))

  serve(app, promptWebhooks.create, ({ caller, body }) => createWebhook(deps, caller.tenantId, body))

  serve(app, promptWebhooks.read, ({ caller, params }) => readWebhook(deps, caller.tenantId, params.webhook_id))

  serve(app, promptWebhooks.update, ({ caller, params, body }) =>
    changeWebhook(deps, caller.tenantId, params.webhook_id, body),
  )

  serve(app, promptWebhooks.delete, async ({ caller, params }) => {
    const isGone = await deleteWebhook(deps.relational.db, caller.tenantId, params.webhook_id)
    if (!isGone) throw new ApiError('NOT_FOUND', 'Webhook not found')
  })

  serve(app, promptWebhooks.test, async ({ caller, body: { webhook, payload }, bodyText }) => {
    assertUrlAllowed(deps, webhook.url)
    // The secrets of a stored webhook are only sent to the URL that they were set for.
    const found = webhook.id ? await selectWebhook(deps.relational.db, caller.tenantId, webhook.id) : undefined
    const stored = found && hasSameTarget(webhook.url, found.url) ? found : undefined
    const posted = await post(deps, {
      url: webhook.url,
      headers: fillMaskedHeaders(webhook.headers ?? {}, stored === undefined ? {} : await decryptHeaders(deps, stored)),
      secret: stored === undefined ? newSigningSecret() : await decryptSecret(deps, stored),
      id: deps.ids(),
      body: payload == null ? EXAMPLE : getMemberText(splitMembers(bodyText), 'payload'),
    })
    const { isDelivered: delivered, status, text, error } = posted
    return { delivered, response_status: status, response_text: text, error }
  })

  serve(app, promptWebhooks.deliveries, async ({ caller, params, query }) => {
    const webhook = await getWebhook(deps, caller.tenantId, params.webhook_id)
    const { rows, total } = await selectDeliveries(deps.relational.db, webhook, query)
    return { deliveries: rows.map(presentDelivery), total }
  })

  serve(app, promptWebhooks.redeliver, async ({ caller, params }) => {
    const webhook = await getWebhook(deps, caller.tenantId, params.webhook_id)
    return presentDelivery(await redeliver(deps, deps.deliveries, webhook, params.delivery_id))
  })
}

const EXAMPLE = JSON.stringify({
  prompt_id: '00000000-0000-0000-0000-000000000000',
  prompt_name: 'example',
  manifest: {},
  commit_hash: '0'.repeat(64),
  created_at: '2026-01-01T00:00:00.000000Z',
  created_by: null,
  event: 'commit',
})
