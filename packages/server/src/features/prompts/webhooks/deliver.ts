import { ApiError, timeOfEpochMs, toStorable } from '@touchstone/contract'
import { addRawMembers, joinObjects } from '@touchstone/formats/write-object'
import type { Deps } from '../../../deps.ts'
import type { Job, JobRun, Jobs } from '../../../jobs/open-jobs.ts'
import { DIED_TWICE } from '../../../jobs/process-deaths.ts'
import { OutboundError } from '../../../outbound/allowed-targets.ts'
import { type SignedWebhook, sendSignedWebhook } from '../../../outbound/signed-webhook.ts'
import type { Database } from '../../../storage/relational/port.ts'
import type { DeliveryRow, WebhookRow } from '../../../storage/relational/tables/prompts.ts'
import {
  getCommit,
  type PromptEvent,
  type PromptEventListener,
  readManifest,
  selectCommitByTag,
} from '../commits/index.ts'
import { getRepoById } from '../index.ts'
import { insertDelivery, selectDelivery, selectWebhooks, updateDelivery } from './store.ts'
import { decryptHeaders, decryptSecret, type WebhookDeps } from './webhooks.ts'

/** Job data of one delivery. */
export interface Delivery {
  readonly deliveryId: string
  /** Whose turn it is; deliveries of earlier versions have none. */
  readonly tenantId?: string
}

/** Pauses double from 5 s: the last attempt is an hour and a half after the first. */
export const DELIVERY_RETRIES = { retryLimit: 10, retryDelaySeconds: 5, expireInSeconds: 60, atOnce: 8 }

const RESPONSE_CHARACTERS = 1000

export interface WebhookResponse {
  readonly isDelivered: boolean
  readonly status: number | null
  readonly text: string | null
  readonly error: string | null
  /** Whether another attempt may succeed. */
  readonly isRetryable: boolean
}

/**
 * Sends a pending delivery, records the result, and throws to request another attempt.
 *
 * Receivers may get an event twice, if the server stops before it has recorded their response; the `webhook-id` is the
 * same.
 */
export async function deliver(deps: WebhookDeps, { deliveryId }: Delivery, run: JobRun): Promise<void> {
  const { db } = deps.relational
  const found = await selectDelivery(db, deliveryId)
  if (found === undefined || found.delivery.payload === null) return // the webhook was deleted, or the event was delivered
  const { delivery, webhook } = found
  const posted = await post(deps, {
    url: webhook.url,
    headers: await decryptHeaders(deps, webhook),
    secret: await decryptSecret(deps, webhook),
    id: delivery.id,
    body: found.delivery.payload,
    signal: run.signal,
  })
  const isOver = posted.isDelivered || run.isLastTry || !posted.isRetryable
  await updateDelivery(db, deliveryId, {
    status: posted.isDelivered ? 'delivered' : isOver ? 'failed' : 'pending',
    attempts: delivery.attempts + 1,
    attempted_at: timeOfEpochMs(deps.clock()),
    response_status: posted.status,
    response_text: posted.text,
    error: posted.error,
    ...(isOver && { payload: null }),
  })
  if (!isOver) throw new Error(`A webhook was not delivered: ${posted.error}`)
}

/** Sends one request. */
export async function post(
  { outbound, clock }: Pick<WebhookDeps, 'outbound' | 'clock'>,
  webhook: SignedWebhook,
): Promise<WebhookResponse> {
  try {
    const answer = await sendSignedWebhook(outbound, webhook, clock())
    const isDelivered = answer.status >= 200 && answer.status < 300
    const text = answer.text.slice(0, RESPONSE_CHARACTERS)
    return {
      isDelivered,
      status: answer.status,
      text: toStorable(text),
      error: isDelivered ? null : `The receiver answered ${answer.status}.`,
      isRetryable: true,
    }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { isDelivered: false, status: null, text: null, error: error.message, isRetryable: error.kind === 'failed' }
  }
}

/** Defines the job that delivers events to webhooks, with retries. */
export function defineWebhookDeliveries(deps: WebhookDeps & { readonly jobs: Jobs }): Job<Delivery> {
  return deps.jobs.define<Delivery>('prompt-webhook-delivery', (data, run) => deliver(deps, data, run), {
    ...DELIVERY_RETRIES,
    subject: 'deliveryId',
    fairBy: 'tenantId',
    giveUp: async ({ deliveryId }) => {
      const error = `${DIED_TWICE} Deliver it again to try again.`
      await updateDelivery(deps.relational.db, deliveryId, { status: 'failed', error, payload: null })
    },
  })
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
    const subscribed = all.filter((webhook) => isSubscribed(webhook, event))
    if (subscribed.length === 0) return
    const manifest = await readManifest(deps, event.tenantId, event.commit.id)
    if (manifest === undefined) return
    const payload = toPayload(event, manifest)
    await deps.relational.transaction(async (tx) => {
      for (const webhook of subscribed) await queueDelivery(deps, tx, deliver, { webhook, event, payload })
    })
  }
}

interface QueuedDelivery {
  readonly webhook: WebhookRow
  readonly event: PromptEvent
  readonly payload: string
}

/** Stores a delivery and the job that makes it. @returns its id */
async function queueDelivery(
  deps: Pick<Deps, 'clock' | 'ids'>,
  tx: Database,
  deliver: Job<Delivery>,
  { webhook, event, payload }: QueuedDelivery,
): Promise<string> {
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
  await deliver.send({ deliveryId: id, tenantId: event.tenantId }, { tx })
  return id
}

/**
 * Delivers the event of an earlier delivery again, as a delivery of its own: with another `webhook-id`, so that a receiver
 * does not take it for a repetition. The payload is written again, because that of a finished delivery is not kept.
 *
 * @throws ApiError NOT_FOUND when the delivery, the prompt or the commit is gone; CONFLICT for an event of a tag that has
 *   changed since
 */
export async function redeliver(
  deps: Pick<Deps, 'relational' | 'clock' | 'ids'>,
  deliver: Job<Delivery>,
  webhook: WebhookRow,
  deliveryId: string,
): Promise<DeliveryRow> {
  const { db } = deps.relational
  const found = await selectDelivery(db, deliveryId)
  if (found?.delivery.webhook_id !== webhook.id) throw new ApiError('NOT_FOUND', 'Delivery not found')
  const { tenant_id: tenantId, prompt_id, commit_hash, tag_name, event: name } = found.delivery
  const { row: repo } = await getRepoById(db, tenantId, prompt_id)
  const commit = await getCommit(deps, repo, commit_hash)
  if (tag_name !== null) await assertIsCurrent(db, repo, { name, tag: tag_name, hash: commit_hash })
  const manifest = await readManifest(deps, tenantId, commit.id)
  if (manifest === undefined) throw new ApiError('NOT_FOUND', 'Commit not found')
  const event: PromptEvent = { tenantId, repo, commit, event: name, ...(tag_name !== null && { tagName: tag_name }) }
  const payload = toPayload(event, manifest)
  const id = await deps.relational.transaction((tx) => queueDelivery(deps, tx, deliver, { webhook, event, payload }))
  const queued = await selectDelivery(db, id)
  if (queued === undefined) throw new ApiError('NOT_FOUND', 'Webhook not found')
  return queued.delivery
}

/**
 * A receiver takes the event of a tag for its newest: one that deploys what is tagged would return to the old commit.
 *
 * @throws ApiError CONFLICT
 */
async function assertIsCurrent(
  db: Database,
  repo: Parameters<typeof selectCommitByTag>[1],
  { name, tag, hash }: { readonly name: string; readonly tag: string; readonly hash: string },
): Promise<void> {
  const current = (await selectCommitByTag(db, repo, tag))?.commit_hash
  const expected = name === 'tag:delete' ? undefined : hash
  if (current === expected) return
  const now = current === undefined ? 'does not exist any more' : `names the commit ${current.slice(0, 8)} now`
  throw new ApiError('CONFLICT', `The tag "${tag}" ${now}. Deliver the event of its last change instead.`)
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

/** Contains the manifest as raw JSON. */
function toPayload({ event, repo, commit, tagName }: PromptEvent, manifest: string): string {
  const prompt = addRawMembers({ prompt_id: repo.id, prompt_name: repo.repo_handle }, { manifest })
  const details = JSON.stringify({
    commit_hash: commit.commit_hash,
    created_at: commit.created_at,
    created_by: commit.full_name,
    event,
    ...(tagName !== undefined && { tag_name: tagName }),
  })
  return joinObjects(prompt, details)
}
