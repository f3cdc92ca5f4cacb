import { timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { Job, Jobs } from '../../../jobs/index.ts'
import { addRawMembers, joinObjects } from '../../../json/write-object.ts'
import type { WebhookRow } from '../../../storage/relational/tables/prompts.ts'
import { type PromptEvent, type PromptEventListener, readManifest } from '../commits/index.ts'
import type { WebhookDeps } from './change-webhook.ts'
import { DELIVERY_RETRIES, type Delivery, deliver } from './deliver.ts'
import { insertDelivery, selectWebhooks } from './store.ts'

/** Defines the job that delivers events to webhooks, with retries. */
export function defineWebhookDeliveries(deps: WebhookDeps & { readonly jobs: Jobs }): Job<Delivery> {
  return deps.jobs.define<Delivery>(
    'prompt-webhook-delivery',
    (data, run) => deliver(deps, data, run),
    DELIVERY_RETRIES,
  )
}

/**
 * Creates the listener that queues a delivery of each event for every subscribed webhook. The deliveries are durable
 * once the listener settles, before a push is acknowledged.
 */
export function createPromptWebhookListener(
  deps: Pick<Deps, 'relational' | 'clock' | 'ids'>,
  deliver: Job<Delivery>,
): PromptEventListener {
  return async (event) => {
    const all = await selectWebhooks(deps.relational.db, event.tenantId)
    const wanting = all.filter((webhook) => isSubscribed(webhook, event))
    if (wanting.length === 0) return
    const manifest = await readManifest(deps, event.tenantId, event.commit.id)
    if (manifest === undefined) return
    const payload = toPayload(event, manifest)
    await deps.relational.transaction(async (tx) => {
      for (const webhook of wanting) {
        const id = deps.ids()
        await insertDelivery(tx, {
          id,
          tenant_id: event.tenantId,
          webhook_id: webhook.id,
          event: event.event,
          prompt_id: event.repo.id,
          prompt_name: event.repo.repo_handle,
          commit_hash: event.commit.commit_hash,
          tag_name: event.tagName ?? null,
          payload,
          status: 'pending',
          created_at: timeOfEpochMs(deps.clock()),
        })
        await deliver.send({ deliveryId: id }, { tx })
      }
    })
  }
}

function isSubscribed(webhook: WebhookRow, { event, repo, skipWebhooks }: PromptEvent): boolean {
  const isSkipped = Array.isArray(skipWebhooks) ? skipWebhooks.includes(webhook.id) : skipWebhooks === true
  return (
    !isSkipped &&
    webhook.triggers.includes(event) &&
    (webhook.include_prompts.length === 0 || webhook.include_prompts.includes(repo.id)) &&
    !webhook.exclude_prompts.includes(repo.id)
  )
}

/** The manifest goes out as the text that came in. */
function toPayload({ event, repo, commit, tagName }: PromptEvent, manifest: string): string {
  const prompt = addRawMembers({ prompt_id: repo.id, prompt_name: repo.repo_handle }, { manifest })
  const facts = JSON.stringify({
    commit_hash: commit.commit_hash,
    created_at: commit.created_at,
    created_by: commit.full_name,
    event,
    ...(tagName !== undefined && { tag_name: tagName }),
  })
  return joinObjects(prompt, facts)
}
