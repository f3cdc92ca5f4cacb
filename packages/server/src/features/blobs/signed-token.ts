import { createHmac, timingSafeEqual } from 'node:crypto'

/** What a signed URL lets its holder read: one blob, until it expires. */
export interface BlobGrant {
  readonly key: string
  readonly mimeType: string
  readonly name: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** A token that carries its own authority: whoever holds it may read that blob and nothing else. */
export function signGrant(grant: BlobGrant, secret: Buffer): string {
  const payload = Buffer.from(JSON.stringify([grant.key, grant.mimeType, grant.name, grant.expiresAt])).toString(
    'base64url',
  )
  return `${payload}.${mac(payload, secret).toString('base64url')}`
}

/** The grant of a token; `undefined` when it was forged, damaged or has expired. */
export function readGrant(token: string, secret: Buffer, nowMs: number): BlobGrant | undefined {
  const [payload = '', signature = ''] = token.split('.')
  const given = Buffer.from(signature, 'base64url')
  const expected = mac(payload, secret)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  const [key, mimeType, name, expiresAt] = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as [
    string,
    string,
    string,
    number,
  ]
  return expiresAt > nowMs ? { key, mimeType, name, expiresAt } : undefined
}

function mac(payload: string, secret: Buffer): Buffer {
  return createHmac('sha256', secret).update(payload).digest()
}
