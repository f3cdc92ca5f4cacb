import {
  ApiError,
  type InviteAccept,
  type InviteCreate,
  isAtLeast,
  lowerRole,
  timeOfEpochMs,
} from '@touchstone/contract'
import { and, desc, eq, gt, isNotNull, isNull, lte, or, type SQL } from 'drizzle-orm'
import type { Caller } from '../../../http/serve.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { type InviteRow, invites } from '../../../storage/relational/tables/accounts.ts'
import { apiKeys, readMaker } from '../auth/index.ts'
import {
  addPerson,
  checkPassword,
  type Exchange,
  getMembership,
  getPerson,
  hashPassword,
  hashToken,
  insertMembership,
  lockPerson,
  type MemberRow,
  memberships,
  newToken,
  openSignIn,
  selectPersonByEmail,
  updateSignInWorkspace,
} from '../index.ts'
import { lockWorkspace } from '../workspaces/index.ts'
import type { MemberDeps } from './members.ts'

const DAY_MS = 86_400_000

/**
 * Creates an invite, with an end not later than that of the key that creates it. Only the response contains its token.
 *
 * @throws ApiError FORBIDDEN when the caller is no longer an admin
 */
export async function createInvite(
  { relational, clock, ids }: MemberDeps,
  caller: Caller,
  { role, email, expires_in_days }: InviteCreate,
): Promise<{ readonly row: InviteRow; readonly token: string }> {
  const token = newToken()
  const now = clock()
  const row = await relational.transaction(async (tx) => {
    await lockWorkspace(tx, caller.tenantId)
    const maker = await readMaker(tx, clock, caller)
    if (!isAtLeast(maker.role, 'admin')) throw new ApiError('FORBIDDEN', 'Only admins may do that.')
    const expiresAt = timeOfEpochMs(now + expires_in_days * DAY_MS)
    const isBounded = maker.expiresAt !== null && Date.parse(maker.expiresAt) < Date.parse(expiresAt)
    const row: InviteRow = {
      id: ids(),
      tenant_id: caller.tenantId,
      hash: hashToken(token),
      role,
      email: email ?? null,
      created_by: caller.actorId ?? null,
      created_by_name: caller.actorName ?? null,
      person_id: maker.personId,
      created_at: timeOfEpochMs(now),
      expires_at: isBounded ? maker.expiresAt : expiresAt,
    }
    await insertInvite(tx, row)
    return row
  })
  return { row, token }
}

/** @throws ApiError NOT_FOUND for unknown, used, revoked and expired invites, and those whose maker was removed */
export async function getInvite(
  { relational, clock }: Pick<MemberDeps, 'relational' | 'clock'>,
  token: string,
  db: Database = relational.db,
): Promise<InviteRow> {
  const row = await selectInviteByHash(db, hashToken(token), timeOfEpochMs(clock()))
  if (row === undefined) throw new ApiError('NOT_FOUND', NO_INVITE)
  return row
}

/**
 * Creates the account that an invite is for and signs it in. If the address has an account and the password is correct,
 * uses that account. Of several concurrent requests with one invite, one succeeds.
 *
 * @throws ApiError NOT_FOUND, INVALID_REQUEST for another address than the invite's, UNAUTHENTICATED and RATE_LIMITED
 * when
 *   the address has an account with another password, CONFLICT for members of the workspace
 */
export async function acceptInvite(
  deps: MemberDeps,
  exchange: Exchange,
  token: string,
  { email, password, name }: InviteAccept,
): Promise<MemberRow> {
  assertInviteAddress(await getInvite(deps, token), email)
  const existing = await findAccountId(deps, exchange, { email, password })
  const passwordHash = existing === undefined ? await hashPassword(password) : ''
  const member = await consumeInvite(deps, token, async (tx) => {
    return existing ?? (await addPerson(tx, deps, { email, name, passwordHash })).id
  })
  await openSignIn(deps, exchange, member)
  return member
}

/**
 * Makes the caller a member of the workspace of an invite, and makes it the default workspace of their sign-in.
 *
 * @throws ApiError NOT_FOUND, FORBIDDEN for keys, INVALID_REQUEST for another address than the invite's, CONFLICT for
 * members
 */
export async function joinByInvite(deps: MemberDeps, caller: Caller, token: string): Promise<MemberRow> {
  const person = await getPerson(deps, caller)
  assertInviteAddress(await getInvite(deps, token), person.email)
  const member = await consumeInvite(deps, token, async () => person.id)
  if (caller.kind === 'person' && caller.signInId !== undefined) {
    await updateSignInWorkspace(deps.relational.db, caller.signInId, member.tenant_id)
  }
  deps.signIns.forget()
  return member
}

/** Id of the account with the address. Checks its password and counts wrong passwords, as a sign-in does. */
async function findAccountId(
  deps: MemberDeps,
  { request }: Exchange,
  credentials: { readonly email: string; readonly password: string },
): Promise<string | undefined> {
  if ((await selectPersonByEmail(deps.relational.db, credentials.email)) === undefined) return undefined
  try {
    return (await checkPassword(deps, request, credentials)).id
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'UNAUTHENTICATED') throw error
    throw new ApiError('UNAUTHENTICATED', 'An account with this address exists, and the password is wrong.', {
      cause: error,
    })
  }
}

/** Uses an invite up for a person, under the lock of the members of its workspace. */
async function consumeInvite(
  deps: MemberDeps,
  token: string,
  getPersonId: (tx: Database) => Promise<string>,
): Promise<MemberRow> {
  const { tenant_id } = await getInvite(deps, token)
  const member = await deps.relational.transaction(async (tx) => {
    await lockWorkspace(tx, tenant_id)
    const { id, role } = await getInvite(deps, token, tx)
    await deleteInvite(tx, tenant_id, id)
    const person_id = await getPersonId(tx)
    if (!(await lockPerson(tx, person_id))) throw new ApiError('UNAUTHENTICATED')
    const created_at = timeOfEpochMs(deps.clock())
    const isNew = await insertMembership(tx, { person_id, tenant_id, role, created_at })
    if (!isNew) throw new ApiError('CONFLICT', 'This account is already a member of the workspace.')
    return getMembership(tx, tenant_id, person_id)
  })
  deps.signIns.forget()
  return member
}

function assertInviteAddress({ email }: InviteRow, given: string): void {
  if (email === null || email === given) return
  throw new ApiError('INVALID_REQUEST', `This invitation is for ${email}.`)
}

const NO_INVITE = 'Invitation not found: it was used or revoked, or has expired.'

/** Inserts an invite, and deletes the expired ones of its workspace. */
async function insertInvite(tx: Database, row: InviteRow): Promise<void> {
  await tx.delete(invites).where(and(eq(invites.tenant_id, row.tenant_id), lte(invites.expires_at, row.created_at)))
  await tx.insert(invites).values(row)
}

/** Valid invites, newest first. */
export function selectInvites(db: Database, tenantId: string, now: string): Promise<InviteRow[]> {
  return selectInvitesWhere(db, and(eq(invites.tenant_id, tenantId), gt(invites.expires_at, now)))
}

async function selectInviteByHash(db: Database, hash: string, now: string): Promise<InviteRow | undefined> {
  const [row] = await selectInvitesWhere(db, and(eq(invites.hash, hash), gt(invites.expires_at, now)))
  return row
}

/**
 * Invites with their current role: at most the maker's current one. Excludes invites of removed people and of revoked
 * keys.
 */
async function selectInvitesWhere(db: Database, which: SQL | undefined): Promise<InviteRow[]> {
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

/** Number of valid invites per person. */
export async function countInvitesByPerson(db: Database, tenantId: string, now: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const { person_id } of await selectInvites(db, tenantId, now)) {
    if (person_id !== null) counts.set(person_id, (counts.get(person_id) ?? 0) + 1)
  }
  return counts
}

/** @returns whether the invite existed: of two concurrent requests one gets true */
export async function deleteInvite(db: Database, tenantId: string, id: string): Promise<boolean> {
  const gone = await db
    .delete(invites)
    .where(and(eq(invites.tenant_id, tenantId), eq(invites.id, id)))
    .returning({ id: invites.id })
  return gone.length > 0
}

/** Deletes all invites that belong to a person. */
export async function deletePersonInvites(tx: Database, tenantId: string, personId: string): Promise<void> {
  await tx.delete(invites).where(and(eq(invites.tenant_id, tenantId), eq(invites.person_id, personId)))
}
