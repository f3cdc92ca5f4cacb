import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { pgTable, text } from 'drizzle-orm/pg-core'
import type { Deps } from '../../deps.ts'
import type { Relational } from '../../storage/relational/port.ts'

const serverSecrets = pgTable('server_secrets', { name: text().primaryKey(), secret: text().notNull() })

const NAME = 'signed urls'
const known = new WeakMap<Relational, Promise<Buffer>>()

/** What signed URLs are signed with: made once per installation, shared by its processes. */
export function signingSecret({ relational }: Pick<Deps, 'relational'>): Promise<Buffer> {
  let secret = known.get(relational)
  if (secret === undefined) {
    secret = findOrMake(relational)
    known.set(relational, secret)
    secret.catch(() => known.delete(relational))
  }
  return secret
}

async function findOrMake({ db }: Relational): Promise<Buffer> {
  await db
    .insert(serverSecrets)
    .values({ name: NAME, secret: randomBytes(32).toString('hex') })
    .onConflictDoNothing()
  const [row] = await db.select().from(serverSecrets).where(eq(serverSecrets.name, NAME))
  return Buffer.from(row!.secret, 'hex')
}
