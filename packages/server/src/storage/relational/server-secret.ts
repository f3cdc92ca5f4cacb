import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { pgTable, text } from 'drizzle-orm/pg-core'
import type { Database, Relational } from './port.ts'
import { readOnce } from './store-memory.ts'

const serverSecrets = pgTable('server_secrets', { name: text().primaryKey(), secret: text().notNull() })

/** Returns 32 random bytes for one purpose: made once per installation, shared by its processes. */
export async function getServerSecret(relational: Relational, name: string): Promise<Buffer> {
  const secret = await readOnce(relational, `secret: ${name}`, () => selectOrInsertSecret(relational, name))
  return Buffer.from(secret, 'hex')
}

/** Removes a secret; the next process that asks for it makes another one. */
export async function forgetServerSecret(tx: Database, name: string): Promise<void> {
  await tx.delete(serverSecrets).where(eq(serverSecrets.name, name))
}

/** Reads before it writes: an existing secret can be read while the disk is full. */
async function selectOrInsertSecret({ db }: Relational, name: string): Promise<string> {
  const existing = await selectSecret(db, name)
  if (existing !== undefined) return existing
  const made = randomBytes(32).toString('hex')
  await db.insert(serverSecrets).values({ name, secret: made }).onConflictDoNothing()
  const stored = await selectSecret(db, name)
  if (stored === undefined) throw new Error(`The secret "${name}" was not stored.`)
  return stored
}

/** Hexadecimal. */
async function selectSecret(db: Database, name: string): Promise<string | undefined> {
  const [row] = await db.select().from(serverSecrets).where(eq(serverSecrets.name, name))
  return row?.secret
}

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts a secret that the server must be able to read again, so that a printed, exported or copied row does not show
 * it. The key is in the same database: with a copy of the whole database every secret can be decrypted.
 *
 * @param owner  the id of the row that the text belongs to; `unseal` needs the same id
 */
export async function seal(relational: Relational, owner: string, text: string): Promise<string> {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, await sealingKey(relational), nonce).setAAD(Buffer.from(owner))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
}

/** @throws Error when the text was sealed for another owner, or was changed */
export async function unseal(relational: Relational, owner: string, sealed: string): Promise<string> {
  const bytes = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv(ALGORITHM, await sealingKey(relational), bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
}

const sealingKey = (relational: Relational) => getServerSecret(relational, 'sealed texts')
