import { sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { toRows } from '../../storage/relational/migrate.ts'
import type { Database, Relational } from '../../storage/relational/port.ts'

const remembered = new WeakMap<Relational, Promise<string>>()

/** What tells this server from others on the same host, for the names of cookies; it never changes. */
export function getServerId({ relational }: Pick<Deps, 'relational'>): Promise<string> {
  let id = remembered.get(relational)
  if (id === undefined) {
    id = select(relational)
    remembered.set(relational, id)
    id.catch(() => remembered.delete(relational))
  }
  return id
}

async function select({ db }: Relational): Promise<string> {
  const result = await db.execute(sql`select id from server_identity`)
  return toRows<{ id: string }>(result)[0]!.id
}

/** One change at a time of what concerns the whole server, until the transaction ends. */
export async function lockServer(tx: Database): Promise<void> {
  await tx.execute(sql`select id from server_identity for update`)
}
