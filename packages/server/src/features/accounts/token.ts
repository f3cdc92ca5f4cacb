import { createHash, randomBytes } from 'node:crypto'

/** A secret for a cookie or a link: 256 random bits that may stand in a URL. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** What is stored of a token: it is random, so nothing slower is needed. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
