import { and, desc, eq, gt, isNull, lte, ne, sql } from 'drizzle-orm'
import type { Database } from '../../storage/relational/port.ts'
import {
  memberships,
  type PersonRow,
  people,
  type SignInRow,
  signIns,
} from '../../storage/relational/tables/accounts.ts'

/** @returns false when the address has an account */
export async function insertPerson(db: Database, row: PersonRow): Promise<boolean> {
  const inserted = await db.insert(people).values(row).onConflictDoNothing().returning({ id: people.id })
  if (inserted.length > 0) await recordSetUp(db)
  return inserted.length > 0
}

export async function existsPerson(db: Database): Promise<boolean> {
  return (await db.select({ id: people.id }).from(people).where(isNull(people.removed_at)).limit(1)).length > 0
}

export async function selectPersonByEmail(db: Database, email: string): Promise<PersonRow | undefined> {
  const [row] = await db
    .select()
    .from(people)
    .where(and(eq(people.email, email), isNull(people.removed_at)))
  return row
}

export async function selectPerson(db: Database, id: string): Promise<PersonRow | undefined> {
  const [row] = await db.select().from(people).where(isActivePerson(id))
  return row
}

export async function updatePerson(
  db: Database,
  id: string,
  changes: Partial<Pick<PersonRow, 'name' | 'password_hash'>>,
): Promise<PersonRow | undefined> {
  const [row] = await db.update(people).set(changes).where(isActivePerson(id)).returning()
  return row
}

/** Sets the default workspace of a sign-in. */
export async function updateSignInWorkspace(db: Database, id: string, tenantId: string): Promise<void> {
  await db.update(signIns).set({ tenant_id: tenantId }).where(eq(signIns.id, id))
}

/** Deletes the expired sign-ins of a person. */
export async function deletePastSignIns(db: Database, personId: string, now: string): Promise<void> {
  await db.delete(signIns).where(and(eq(signIns.person_id, personId), lte(signIns.expires_at, now)))
}

export async function insertSignIn(db: Database, row: SignInRow): Promise<void> {
  await db.insert(signIns).values(row)
}

export async function selectSignInByHash(db: Database, hash: string): Promise<SignInRow | undefined> {
  const [row] = await db.select().from(signIns).where(eq(signIns.hash, hash))
  return row
}

/** Valid sign-ins, last used first. */
export function selectSignIns(db: Database, personId: string, now: string): Promise<SignInRow[]> {
  return db
    .select()
    .from(signIns)
    .where(and(eq(signIns.person_id, personId), gt(signIns.expires_at, now)))
    .orderBy(desc(signIns.last_used_at), desc(signIns.id))
}

export async function deleteSignIn(db: Database, personId: string, id: string): Promise<boolean> {
  const gone = await db
    .delete(signIns)
    .where(and(eq(signIns.person_id, personId), eq(signIns.id, id)))
    .returning({ id: signIns.id })
  return gone.length > 0
}

/** Ends all sign-ins of a person except one. */
export async function deleteSignIns(db: Database, personId: string, except?: string): Promise<void> {
  const others = except === undefined ? undefined : ne(signIns.id, except)
  await db.delete(signIns).where(and(eq(signIns.person_id, personId), others))
}

/** Records when a sign-in was used, and in which workspace. */
export async function markSeen(db: Database, signIn: SignInRow, tenantId: string, at: string): Promise<void> {
  await db.update(signIns).set({ last_used_at: at, tenant_id: tenantId }).where(eq(signIns.id, signIn.id))
  await db
    .update(memberships)
    .set({ last_seen_at: sql`greatest(${memberships.last_seen_at}, ${at})` })
    .where(and(eq(memberships.person_id, signIn.person_id), eq(memberships.tenant_id, tenantId)))
}

const isActivePerson = (id: string) => and(eq(people.id, id), isNull(people.removed_at))

/** Records that a key or an account was created, also after its row is deleted. */
export async function recordSetUp(db: Database): Promise<void> {
  await db.execute(sql`insert into server_setup (only_row) values (true) on conflict do nothing`)
}
