import { createHmac, randomBytes } from 'node:crypto'
import { HIDDEN_HEADER } from '@touchstone/contract'
import type { Outbound, OutboundAnswer } from './open-outbound.ts'

/** Begins every signing secret. */
const SECRET_PREFIX = 'whsec_'

/** A new signing secret: `whsec_` and 32 bytes in base64. */
export function newSigningSecret(): string {
  return SECRET_PREFIX + randomBytes(32).toString('base64')
}

export interface SignedWebhook {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly secret: string
  /** The same at each try, so that a receiver knows a repetition. */
  readonly id: string
  readonly body: string
  readonly signal?: AbortSignal
  /** @default 15000 */
  readonly timeoutMs?: number
}

/**
 * Sends one signed request.
 *
 * @param nowMs  milliseconds since 1970
 * @returns any answer, also one with an error status
 * @throws OutboundError
 */
export function sendSignedWebhook(
  outbound: Outbound,
  { url, headers, secret, id, body, signal, timeoutMs }: SignedWebhook,
  nowMs: number,
): Promise<OutboundAnswer> {
  return outbound.send({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    secretHeaders: { ...headers, ...toSignatureHeaders(secret, id, body, nowMs) },
    body,
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
}

/**
 * The headers that prove the sender and the time of a request (https://www.standardwebhooks.com, which has libraries
 * for most languages): HMAC-SHA256 of `id.timestamp.body`.
 */
function toSignatureHeaders(secret: string, id: string, body: string, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000))
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}

/** Whether secrets for one URL may be sent to another. Hosts with tenants by path make another path another receiver. */
export function hasSameTarget(url: string, other: string): boolean {
  const target = toTarget(url)
  return target !== undefined && target === toTarget(other)
}

function toTarget(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  url.search = ''
  url.hash = ''
  return url.href
}

/** Headers with hidden values replaced by the stored values. A hidden value without a stored header is left out. */
export function fillMaskedHeaders(headers: Readonly<Record<string, string>>, stored: Readonly<Record<string, string>>) {
  const written = Object.entries(headers).map(
    ([name, value]) => [name, value === HIDDEN_HEADER ? stored[name] : value] as const,
  )
  return Object.fromEntries(written.filter((entry): entry is [string, string] => entry[1] !== undefined))
}
