import { and, asc, count, desc, eq, gt, isNull, lte } from 'drizzle-orm'
import type { Database } from '../../storage/relational/port.ts'
import { type PersonRow, people } from '../accounts/index.ts'
import { type InviteRow, invites } from './tables.ts'

const isMember = (tenantId: string) => and(eq(people.tenant_id, tenantId), isNull(people.removed_at))

export function selectMembers(db: Database, tenantId: string): Promise<PersonRow[]> {
  return db.select().from(people).where(isMember(tenantId)).orderBy(asc(people.name), asc(people.id))
}

export async function countAdmins(tx: Database, tenantId: string): Promise<number> {
  const [row] = await tx
    .select({ n: count() })
    .from(people)
    .where(and(isMember(tenantId), eq(people.role, 'admin')))
  return row?.n ?? 0
}

/** Those whose time is over go as new ones come. */
export async function insertInvite(db: Database, row: InviteRow): Promise<void> {
  await db.delete(invites).where(and(eq(invites.tenant_id, row.tenant_id), lte(invites.expires_at, row.created_at)))
  await db.insert(invites).values(row)
}

/** Those that still work, newest first. */
export function selectInvites(db: Database, tenantId: string, now: string): Promise<InviteRow[]> {
  return db
    .select()
    .from(invites)
    .where(and(eq(invites.tenant_id, tenantId), gt(invites.expires_at, now)))
    .orderBy(desc(invites.created_at), desc(invites.id))
}

export async function selectInviteByHash(db: Database, hash: string, now: string): Promise<InviteRow | undefined> {
  const [row] = await db
    .select()
    .from(invites)
    .where(and(eq(invites.hash, hash), gt(invites.expires_at, now)))
  return row
}

/** @returns whether it was there: of two who use it at once one finds it */
export async function deleteInvite(db: Database, tenantId: string, id: string): Promise<boolean> {
  const gone = await db
    .delete(invites)
    .where(and(eq(invites.tenant_id, tenantId), eq(invites.id, id)))
    .returning({ id: invites.id })
  return gone.length > 0
}
