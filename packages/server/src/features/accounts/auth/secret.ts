import { createHash, randomBytes } from 'node:crypto'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A new key: `ts_` and 40 random characters, 238 bits. */
export function newSecret(): string {
  let characters = ''
  while (characters.length < 40) {
    // 248 is the largest multiple of 62 that a byte holds; beyond it some characters would come up more often.
    for (const byte of randomBytes(64)) if (byte < 248) characters += ALPHABET[byte % 62]
  }
  return `ts_${characters.slice(0, 40)}`
}

/** What is stored of a key. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Enough to recognise a key in a list. */
export function toShortForm(secret: string): string {
  return `${secret.slice(0, 6)}...${secret.slice(-4)}`
}
