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
export function signGrant({ key, mimeType, name, expiresAt }: BlobGrant, secret: Buffer): string {
  // A name of any length would make a URL of any length; the media type becomes a header.
  const shortName = name.slice(0, 200).toWellFormed()
  const type = /^[\x20-\x7e]{1,200}$/.test(mimeType) ? mimeType : 'application/octet-stream'
  const payload = Buffer.from(JSON.stringify([key, type, shortName, expiresAt])).toString('base64url')
  return `${payload}.${mac(payload, secret).toString('base64url')}`
}

/** The grant of a token; `undefined` when it was forged, damaged or has expired. */
export function readGrant(token: string, secret: Buffer, nowMs: number): BlobGrant | undefined {
  const [payload = '', ...signature] = token.split('.')
  // Compared as text: base64 has several spellings of the same bytes.
  const given = Buffer.from(signature.join('.'))
  const expected = Buffer.from(mac(payload, secret).toString('base64url'))
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
