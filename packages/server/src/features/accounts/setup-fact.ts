import { sql } from 'drizzle-orm'
import { toRows } from '../../storage/relational/migrate.ts'
import type { Database } from '../../storage/relational/port.ts'

/**
 * Whether a key or an account was ever made. It stays true when the last key is revoked or expires and when the last
 * person is removed, so a server that once asked for credentials never stops asking.
 */
export async function wasSetUp(db: Database): Promise<boolean> {
  const result = await db.execute(sql`
    select exists (select 1 from server_setup)
        or exists (select 1 from api_keys)
        or exists (select 1 from people) as was_set_up`)
  return toRows<{ was_set_up: boolean }>(result)[0]!.was_set_up
}

/** Remembers that a key or an account was made, whatever happens to its row. */
export async function noteSetUp(db: Database): Promise<void> {
  await db.execute(sql`insert into server_setup (only_row) values (true) on conflict do nothing`)
}
