import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

/** A new signing secret: `whsec_` and 32 bytes in base64. */
export function newSigningSecret(): string {
  return PREFIX + randomBytes(32).toString('base64')
}

/**
 * The headers by which a receiver knows that a body is ours, and when it was sent (https://www.standardwebhooks.com, for
 * which most languages have a library). What is signed is `id.timestamp.body`, by HMAC-SHA256.
 *
 * @param nowMs  milliseconds since 1970
 */
export function signatureHeaders(secret: string, id: string, body: string, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000))
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}
