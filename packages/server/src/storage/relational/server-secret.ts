import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { pgTable, text } from 'drizzle-orm/pg-core'
import type { Database, Relational } from './port.ts'

const serverSecrets = pgTable('server_secrets', { name: text().primaryKey(), secret: text().notNull() })

const known = new WeakMap<Relational, Map<string, Promise<Buffer>>>()

/** 32 random bytes for one purpose: made once per installation, shared by its processes. */
export function serverSecret(relational: Relational, name: string): Promise<Buffer> {
  const ofStore = known.get(relational) ?? new Map<string, Promise<Buffer>>()
  known.set(relational, ofStore)
  let secret = ofStore.get(name)
  if (secret === undefined) {
    secret = findOrMake(relational, name)
    ofStore.set(name, secret)
    secret.catch(() => ofStore.delete(name))
  }
  return secret
}

/** Looks before it writes: a secret that was made before can be read while the disk is full. */
async function findOrMake({ db }: Relational, name: string): Promise<Buffer> {
  const found = await find(db, name)
  if (found !== undefined) return found
  await db
    .insert(serverSecrets)
    .values({ name, secret: randomBytes(32).toString('hex') })
    .onConflictDoNothing()
  return (await find(db, name))!
}

async function find(db: Database, name: string): Promise<Buffer | undefined> {
  const [row] = await db.select().from(serverSecrets).where(eq(serverSecrets.name, name))
  return row && Buffer.from(row.secret, 'hex')
}

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
