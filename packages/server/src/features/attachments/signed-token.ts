import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { serverSecret } from '../../storage/relational/server-secret.ts'

/** The purpose of a token; a token for another purpose is invalid. */
type Purpose = 'attachment' | 'export'

type Fields = readonly (string | number)[]

/**
 * A signed token that authorizes its holder for what its fields describe, until it expires.
 *
 * @param expiresAt  milliseconds since 1970
 */
export function signToken(purpose: Purpose, fields: Fields, expiresAt: number, secret: Buffer): string {
  const payload = Buffer.from(JSON.stringify([purpose, expiresAt, ...fields])).toString('base64url')
  return `${payload}.${computeMac(payload, secret).toString('base64url')}`
}

/** The fields of a token; `undefined` when it was forged, damaged, signed for something else, or has expired. */
export function readToken(purpose: Purpose, token: string, secret: Buffer, nowMs: number): Fields | undefined {
  const [payload = '', ...signature] = token.split('.')
  // Compared as text: base64 has several spellings of the same bytes.
  const given = Buffer.from(signature.join('.'))
  const expected = Buffer.from(computeMac(payload, secret).toString('base64url'))
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  const [signedFor, expiresAt, ...fields] = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as [
    string,
    number,
    ...Fields,
  ]
  return signedFor === purpose && expiresAt > nowMs ? fields : undefined
}

function computeMac(payload: string, secret: Buffer): Buffer {
  return createHmac('sha256', secret).update(payload).digest()
}

/** The secret that signs URLs. */
export function getSigningSecret({ relational }: Pick<Deps, 'relational'>): Promise<Buffer> {
  return serverSecret(relational, 'signed urls')
}
