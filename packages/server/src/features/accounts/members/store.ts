import { lowerRole } from '@touchstone/contract'
import { and, desc, eq, gt, isNotNull, isNull, lte, or, type SQL } from 'drizzle-orm'
import type { Database } from '../../../storage/relational/port.ts'
import { type InviteRow, invites } from '../../../storage/relational/tables/accounts.ts'
import { apiKeys } from '../auth/index.ts'
import { memberships } from '../index.ts'

/** Those whose time is over go as new ones come. */
export async function insertInvite(tx: Database, row: InviteRow): Promise<void> {
  await tx.delete(invites).where(and(eq(invites.tenant_id, row.tenant_id), lte(invites.expires_at, row.created_at)))
  await tx.insert(invites).values(row)
}

/** Those that still work, newest first. */
export function selectInvites(db: Database, tenantId: string, now: string): Promise<InviteRow[]> {
  return select(db, and(eq(invites.tenant_id, tenantId), gt(invites.expires_at, now)))
}

export async function selectInviteByHash(db: Database, hash: string, now: string): Promise<InviteRow | undefined> {
  const [row] = await select(db, and(eq(invites.hash, hash), gt(invites.expires_at, now)))
  return row
}

/** Invites as they hold now: with at most the role that their maker has now, and not after a maker who left or a revoked key. */
async function select(db: Database, which: SQL | undefined): Promise<InviteRow[]> {
  const isLiveMaker = and(
    eq(memberships.person_id, invites.person_id),
    eq(memberships.tenant_id, invites.tenant_id),
    isNull(memberships.removed_at),
  )
  const found = await db
    .select({ invite: invites, makerRole: memberships.role })
    .from(invites)
    .leftJoin(memberships, isLiveMaker)
    .leftJoin(apiKeys, eq(apiKeys.id, invites.created_by))
    .where(and(which, isNull(apiKeys.revoked_at), or(isNull(invites.person_id), isNotNull(memberships.person_id))))
    .orderBy(desc(invites.created_at), desc(invites.id))
  return found.map(({ invite, makerRole }) => {
    return makerRole === null ? invite : { ...invite, role: lowerRole(invite.role, makerRole) }
  })
}

/** How many invites of each person still work. */
export async function countInvitesByPerson(db: Database, tenantId: string, now: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const { person_id } of await selectInvites(db, tenantId, now)) {
    if (person_id !== null) counts.set(person_id, (counts.get(person_id) ?? 0) + 1)
  }
  return counts
}

/** @returns whether it was there: of two who use it at once one finds it */
export async function deleteInvite(db: Database, tenantId: string, id: string): Promise<boolean> {
  const gone = await db
    .delete(invites)
    .where(and(eq(invites.tenant_id, tenantId), eq(invites.id, id)))
    .returning({ id: invites.id })
  return gone.length > 0
}

/** Ends all invites that belong to a person. */
export async function deletePersonInvites(tx: Database, tenantId: string, personId: string): Promise<void> {
  await tx.delete(invites).where(and(eq(invites.tenant_id, tenantId), eq(invites.person_id, personId)))
}
