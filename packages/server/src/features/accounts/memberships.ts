import { ApiError, type Role, timeOfEpochMs } from '@touchstone/contract'
import { and, asc, count, eq, isNull, sql } from 'drizzle-orm'
import type { Database } from '../../storage/relational/port.ts'
import { type MemberRow, type MembershipRow, memberships, people } from '../../storage/relational/tables/accounts.ts'
import { endServerAdmin } from './server-admins.ts'
import { deleteSignIns } from './store.ts'

const columns = {
  id: people.id,
  tenant_id: memberships.tenant_id,
  email: people.email,
  name: people.name,
  is_server_admin: people.is_server_admin,
  role: memberships.role,
  created_at: memberships.created_at,
  last_seen_at: memberships.last_seen_at,
}

const isActive = isNull(memberships.removed_at)

/** Members of a workspace, by name. */
export function selectMembers(db: Database, tenantId: string): Promise<MemberRow[]> {
  return db
    .select(columns)
    .from(memberships)
    .innerJoin(people, eq(people.id, memberships.person_id))
    .where(and(eq(memberships.tenant_id, tenantId), isActive))
    .orderBy(asc(people.name), asc(people.id))
}

export async function selectMember(db: Database, tenantId: string, personId: string): Promise<MemberRow | undefined> {
  const [row] = await db
    .select(columns)
    .from(memberships)
    .innerJoin(people, eq(people.id, memberships.person_id))
    .where(and(eq(memberships.tenant_id, tenantId), eq(memberships.person_id, personId), isActive))
  return row
}

/** A member that must exist. @throws Error when there is none */
export async function getMembership(tx: Database, tenantId: string, personId: string): Promise<MemberRow> {
  const member = await selectMember(tx, tenantId, personId)
  if (member === undefined) throw new Error('The membership that was just stored does not exist.')
  return member
}

/** The memberships of one person, the workspace used last first. */
export function selectMemberships(db: Database, personId: string): Promise<MemberRow[]> {
  return db
    .select(columns)
    .from(memberships)
    .innerJoin(people, eq(people.id, memberships.person_id))
    .where(and(eq(memberships.person_id, personId), isActive))
    .orderBy(sql`${memberships.last_seen_at} desc nulls last`, asc(memberships.created_at), asc(memberships.tenant_id))
}

/** The role of a person in each of their workspaces. */
export async function selectRoles(db: Database, personId: string): Promise<Map<string, Role>> {
  const members = await selectMemberships(db, personId)
  return new Map(members.map(({ tenant_id, role }) => [tenant_id, role]))
}

/** Makes a person an admin of a new workspace. @throws ApiError UNAUTHENTICATED when the person was removed meanwhile */
export async function addAdmin(tx: Database, tenant_id: string, person_id: string, nowMs: number): Promise<void> {
  if (!(await lockPerson(tx, person_id))) throw new ApiError('UNAUTHENTICATED')
  await insertMembership(tx, { tenant_id, person_id, role: 'admin', created_at: timeOfEpochMs(nowMs) })
}

export async function countAdmins(tx: Database, tenantId: string): Promise<number> {
  const [row] = await tx
    .select({ n: count() })
    .from(memberships)
    .where(and(eq(memberships.tenant_id, tenantId), eq(memberships.role, 'admin'), isActive))
  return row?.n ?? 0
}

/** Makes a person a member, also a former member. @returns false for a current member */
export async function insertMembership(
  tx: Database,
  membership: {
    readonly person_id: string
    readonly tenant_id: string
    readonly role: Role
    readonly created_at: string
  },
): Promise<boolean> {
  const { role, created_at } = membership
  const inserted = await tx
    .insert(memberships)
    .values(membership)
    .onConflictDoUpdate({
      target: [memberships.person_id, memberships.tenant_id],
      set: { role, created_at, last_seen_at: null, removed_at: null },
      setWhere: sql`${memberships.removed_at} is not null`,
    })
    .returning({ id: memberships.person_id })
  return inserted.length > 0
}

/** @returns the member before a removal, or after another change; undefined for no member */
export async function updateMembership(
  tx: Database,
  tenantId: string,
  personId: string,
  changes: Partial<Pick<MembershipRow, 'role' | 'removed_at'>>,
): Promise<MemberRow | undefined> {
  const before = await selectMember(tx, tenantId, personId)
  if (before === undefined) return undefined
  await tx
    .update(memberships)
    .set(changes)
    .where(and(eq(memberships.tenant_id, tenantId), eq(memberships.person_id, personId), isActive))
  return { ...before, role: changes.role ?? before.role }
}

/**
 * Removes the account of a person without any workspace: ends its sign-ins and frees its address.
 *
 * @throws ApiError INVALID_REQUEST for the last server administrator
 */
export async function removeAccountWithoutWorkspace(tx: Database, personId: string, now: string): Promise<void> {
  await lockPerson(tx, personId)
  if ((await selectMemberships(tx, personId)).length > 0) return
  await endServerAdmin(tx, personId)
  await tx.update(people).set({ removed_at: now, password_hash: '' }).where(eq(people.id, personId))
  await deleteSignIns(tx, personId)
}

/**
 * Allows one change of a person's workspaces at a time, so that an account that is being removed cannot join one.
 * Take the lock of the workspace first.
 *
 * @returns whether the account still exists
 */
export async function lockPerson(tx: Database, personId: string): Promise<boolean> {
  const rows = await tx
    .select({ id: people.id })
    .from(people)
    .where(and(eq(people.id, personId), isNull(people.removed_at)))
    .for('update')
  return rows.length > 0
}
