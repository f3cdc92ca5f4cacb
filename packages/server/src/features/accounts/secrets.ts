import { createHash, randomBytes } from 'node:crypto'

/** A secret for a cookie or a link: 256 random bits, safe in a URL. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** The stored form of a token or key. A fast hash suffices, because the text is random. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A new key: `ts_` and 40 random characters, 238 bits. */
export function newKeySecret(): string {
  let characters = ''
  while (characters.length < 40) {
    // 248 is the largest multiple of 62 that a byte holds; beyond it some characters would occur more often.
    for (const byte of randomBytes(64)) if (byte < 248) characters += ALPHABET[byte % 62]
  }
  return `ts_${characters.slice(0, 40)}`
}

/** A short form that identifies a key in a list. */
export function toShortForm(secret: string): string {
  return `${secret.slice(0, 6)}...${secret.slice(-4)}`
}
