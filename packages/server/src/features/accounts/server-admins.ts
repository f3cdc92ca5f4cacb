import { ApiError } from '@touchstone/contract'
import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { Database } from '../../storage/relational/port.ts'
import { type PersonRow, people } from '../../storage/relational/tables/accounts.ts'

const isServerAdmin = and(eq(people.is_server_admin, true), isNull(people.removed_at))

/** Server administrators, by name. */
export function selectServerAdmins(db: Database): Promise<PersonRow[]> {
  return db.select().from(people).where(isServerAdmin).orderBy(asc(people.name), asc(people.id))
}

/** @returns false for an account that no longer exists */
export async function markServerAdmin(tx: Database, personId: string): Promise<boolean> {
  await lockServerAdmins(tx)
  const marked = await tx
    .update(people)
    .set({ is_server_admin: true })
    .where(and(eq(people.id, personId), isNull(people.removed_at)))
    .returning({ id: people.id })
  return marked.length > 0
}

/**
 * Ends the role of a server administrator.
 *
 * @returns whether the person was one
 * @throws ApiError INVALID_REQUEST for the last one
 */
export async function endServerAdmin(tx: Database, personId: string): Promise<boolean> {
  await lockServerAdmins(tx)
  const admins = await selectServerAdmins(tx)
  if (!admins.some(({ id }) => id === personId)) return false
  if (admins.length === 1) throw new ApiError('INVALID_REQUEST', LAST_ADMIN)
  await tx.update(people).set({ is_server_admin: false }).where(eq(people.id, personId))
  return true
}

/**
 * Allows one change at a time, so that one of two who remove each other at once remains. Take the lock of the person
 * first.
 */
async function lockServerAdmins(tx: Database): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('server admins', 0))`)
}

const LAST_ADMIN = 'This is the last server administrator. Appoint another person first.'
