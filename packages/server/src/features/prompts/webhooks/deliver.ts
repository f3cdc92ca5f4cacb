import { timeOfEpochMs } from '@touchstone/contract'
import type { JobRun } from '../../../jobs/index.ts'
import { OutboundError } from '../../../outbound/index.ts'
import { isStorable } from '../../../storage/relational/columns.ts'
import { decryptHeaders, decryptSecret, type WebhookDeps } from './change-webhook.ts'
import { signatureHeaders } from './sign.ts'
import { selectDelivery, updateDelivery } from './store.ts'

/** Job data of one delivery. */
export interface Delivery {
  readonly deliveryId: string
}

/** Pauses double from 5 s: the last try is made an hour and a half after the first. */
export const DELIVERY_RETRIES = { retryLimit: 10, retryDelaySeconds: 5, expireInSeconds: 60, atOnce: 8 }

const ANSWER_CHARACTERS = 1000

export interface WebhookResponse {
  readonly isDelivered: boolean
  readonly status: number | null
  readonly text: string | null
  readonly error: string | null
  /** Whether trying again may help. */
  readonly mayHelp: boolean
}

/**
 * Sends what waits, notes how it went, and throws when it should be tried again.
 *
 * Receivers may hear of an event twice (we may die before we have noted their answer); its `webhook-id` is the same.
 */
export async function deliver(deps: WebhookDeps, { deliveryId }: Delivery, run: JobRun): Promise<void> {
  const { db } = deps.relational
  const found = await selectDelivery(db, deliveryId)
  if (found === undefined || found.delivery.payload === null) return // the webhook is gone, or it was delivered
  const { delivery, webhook } = found
  const posted = await post(deps, {
    url: webhook.url,
    headers: await decryptHeaders(deps, webhook),
    secret: await decryptSecret(deps, webhook),
    id: delivery.id,
    body: found.delivery.payload,
    signal: run.signal,
  })
  const isOver = posted.isDelivered || run.isLastTry || !posted.mayHelp
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

export interface WebhookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly secret: string
  readonly id: string
  readonly body: string
  readonly signal?: AbortSignal
}

/** One try. */
export async function post(
  { outbound, clock }: Pick<WebhookDeps, 'outbound' | 'clock'>,
  { url, headers, secret, id, body, signal }: WebhookRequest,
): Promise<WebhookResponse> {
  try {
    const answer = await outbound.send({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json' },
      secretHeaders: { ...headers, ...signatureHeaders(secret, id, body, clock()) },
      body,
      ...(signal && { signal }),
    })
    const isDelivered = answer.status >= 200 && answer.status < 300
    const text = answer.text.slice(0, ANSWER_CHARACTERS)
    return {
      isDelivered,
      status: answer.status,
      text: isStorable(text) ? text : null,
      error: isDelivered ? null : `The receiver answered ${answer.status}.`,
      mayHelp: true,
    }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { isDelivered: false, status: null, text: null, error: error.message, mayHelp: error.kind === 'failed' }
  }
}
