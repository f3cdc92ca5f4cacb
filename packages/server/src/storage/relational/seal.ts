import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Relational } from './port.ts'
import { serverSecret } from './server-secret.ts'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts a secret that the server must be able to read again, so that a row that is printed, exported or copied tells
 * nothing. The key lies in the same database: a copy of all of it opens everything.
 *
 * @param place  what the text belongs to, e.g. the id of its row; it opens nowhere else
 */
export async function seal(relational: Relational, place: string, text: string): Promise<string> {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, await sealingKey(relational), nonce).setAAD(Buffer.from(place))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
}

/** @throws Error when it was sealed elsewhere, or changed since */
export async function unseal(relational: Relational, place: string, sealed: string): Promise<string> {
  const bytes = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv(ALGORITHM, await sealingKey(relational), bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
}

const sealingKey = (relational: Relational) => serverSecret(relational, 'sealed texts')
