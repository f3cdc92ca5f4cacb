import { timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { Job } from '../../../jobs/index.ts'
import { addRawMembers, joinObjects } from '../../../json/write-object.ts'
import type { WebhookRow } from '../../../storage/relational/tables/prompts.ts'
import { type HubEvent, type OnCommit, readManifest } from '../commits/index.ts'
import { insertDelivery, selectWebhooks } from './store.ts'

export interface Delivery {
  readonly deliveryId: string
}

/**
 * Puts an event on its way to each webhook that wants it. Once this settles the deliveries are durable, so whoever was
 * told that a push succeeded can rely on them.
 */
export function announceTo(deps: Pick<Deps, 'relational' | 'clock' | 'ids'>, deliver: Job<Delivery>): OnCommit {
  return async (event) => {
    const all = await selectWebhooks(deps.relational.db, event.tenantId)
    const wanting = all.filter((webhook) => wants(webhook, event))
    if (wanting.length === 0) return
    const manifest = await readManifest(deps, event.tenantId, event.commit.id)
    if (manifest === undefined) return
    const payload = payloadOf(event, manifest)
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

function wants(webhook: WebhookRow, { event, repo, skipWebhooks }: HubEvent): boolean {
  const isSkipped = Array.isArray(skipWebhooks) ? skipWebhooks.includes(webhook.id) : skipWebhooks === true
  return (
    !isSkipped &&
    webhook.triggers.includes(event) &&
    (webhook.include_prompts.length === 0 || webhook.include_prompts.includes(repo.id)) &&
    !webhook.exclude_prompts.includes(repo.id)
  )
}

/** The manifest goes out as the text that came in. */
function payloadOf({ event, repo, commit, tagName }: HubEvent, manifest: string): string {
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
