import { and, desc, eq, gt, isNull, lte, ne, sql } from 'drizzle-orm'
import type { Database } from '../../storage/relational/port.ts'
import { noteSetUp } from './setup-fact.ts'
import { type PersonRow, people, type SignInRow, signIns } from './tables.ts'

export interface FoundSignIn {
  readonly signIn: SignInRow
  readonly person: PersonRow
}

/** @returns false when somebody has the address */
export async function insertPerson(db: Database, row: PersonRow): Promise<boolean> {
  const inserted = await db.insert(people).values(row).onConflictDoNothing().returning({ id: people.id })
  if (inserted.length > 0) await noteSetUp(db)
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

export async function selectPerson(db: Database, tenantId: string, id: string): Promise<PersonRow | undefined> {
  const [row] = await db.select().from(people).where(isThere(tenantId, id))
  return row
}

export async function updatePerson(
  db: Database,
  tenantId: string,
  id: string,
  changes: Partial<PersonRow>,
): Promise<PersonRow | undefined> {
  const [row] = await db.update(people).set(changes).where(isThere(tenantId, id)).returning()
  return row
}

/** Nothing is left of a sign-in that no longer holds. */
export async function deletePastSignIns(db: Database, personId: string, now: string): Promise<void> {
  await db.delete(signIns).where(and(eq(signIns.person_id, personId), lte(signIns.expires_at, now)))
}

export async function insertSignIn(db: Database, row: SignInRow): Promise<void> {
  await db.insert(signIns).values(row)
}

export async function selectSignInByHash(db: Database, hash: string): Promise<FoundSignIn | undefined> {
  const [found] = await db
    .select({ signIn: signIns, person: people })
    .from(signIns)
    .innerJoin(people, and(eq(people.id, signIns.person_id), isNull(people.removed_at)))
    .where(eq(signIns.hash, hash))
  return found
}

/** Those that still hold, last used first. */
export function selectSignIns(db: Database, { tenant_id, id }: PersonKey, now: string): Promise<SignInRow[]> {
  return db
    .select()
    .from(signIns)
    .where(and(eq(signIns.tenant_id, tenant_id), eq(signIns.person_id, id), gt(signIns.expires_at, now)))
    .orderBy(desc(signIns.last_used_at), desc(signIns.id))
}

export async function deleteSignIn(db: Database, person: PersonKey, id: string): Promise<boolean> {
  const gone = await db
    .delete(signIns)
    .where(and(isOf(person), eq(signIns.id, id)))
    .returning({ id: signIns.id })
  return gone.length > 0
}

/** Ends all sign-ins of a person, but for one. */
export async function deleteSignIns(db: Database, person: PersonKey, except?: string): Promise<void> {
  await db.delete(signIns).where(and(isOf(person), except === undefined ? undefined : ne(signIns.id, except)))
}

export async function markSeen(db: Database, { signIn, person }: FoundSignIn, at: string): Promise<void> {
  await db.update(signIns).set({ last_used_at: at }).where(eq(signIns.id, signIn.id))
  await db
    .update(people)
    .set({ last_seen_at: sql`greatest(${people.last_seen_at}, ${at})` })
    .where(isThere(person.tenant_id, person.id))
}

export type PersonKey = Pick<PersonRow, 'id' | 'tenant_id'>

const isOf = ({ tenant_id, id }: PersonKey) => and(eq(signIns.tenant_id, tenant_id), eq(signIns.person_id, id))

const isThere = (tenantId: string, id: string) =>
  and(eq(people.tenant_id, tenantId), eq(people.id, id), isNull(people.removed_at))
