import { randomBytes } from 'node:crypto'
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
