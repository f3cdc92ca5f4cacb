import { ApiError, type InviteAccept, type InviteCreate, isAtLeast, timeOfEpochMs } from '@touchstone/contract'
import type { Caller } from '../../../http/caller.ts'
import type { Database } from '../../../storage/relational/port.ts'
import type { InviteRow } from '../../../storage/relational/tables/accounts.ts'
import { readMaker } from '../auth/index.ts'
import {
  addPerson,
  checkPassword,
  type Exchange,
  getPerson,
  hashOfToken,
  hashPassword,
  insertMembership,
  lockPerson,
  type MemberRow,
  newToken,
  openSignIn,
  selectMember,
  selectPersonByEmail,
  updateSignInWorkspace,
} from '../index.ts'
import { lockWorkspace } from '../workspaces/index.ts'
import type { MemberDeps } from './change-member.ts'
import { deleteInvite, insertInvite, selectInviteByHash } from './store.ts'

const DAY_MS = 86_400_000

/**
 * Makes an invite, which ends not later than the key that makes it. The token is in the answer and nowhere else.
 *
 * @throws ApiError FORBIDDEN when the caller is no admin any more
 */
export async function invite(
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
    const isAfterMaker = maker.expiresAt !== null && Date.parse(maker.expiresAt) < Date.parse(expiresAt)
    const row: InviteRow = {
      id: ids(),
      tenant_id: caller.tenantId,
      hash: hashOfToken(token),
      role,
      email: email ?? null,
      created_by: caller.actorId ?? null,
      created_by_name: caller.actorName ?? null,
      person_id: maker.personId,
      created_at: timeOfEpochMs(now),
      expires_at: isAfterMaker ? maker.expiresAt! : expiresAt,
    }
    await insertInvite(tx, row)
    return row
  })
  return { row, token }
}

/** @throws ApiError NOT_FOUND, the same for unknown, used, revoked and expired ones, and those whose maker is gone */
export async function getInvite(
  { relational, clock }: Pick<MemberDeps, 'relational' | 'clock'>,
  token: string,
  db: Database = relational.db,
): Promise<InviteRow> {
  const row = await selectInviteByHash(db, hashOfToken(token), timeOfEpochMs(clock()))
  if (row === undefined) throw new ApiError('NOT_FOUND', GONE)
  return row
}

/**
 * Makes the account that an invite is for, or takes the account that has the address when the password is its password,
 * and signs it in. Of several who use one invite at once one gets in.
 *
 * @throws ApiError NOT_FOUND, INVALID_REQUEST for another address than the invite's, UNAUTHENTICATED and RATE_LIMITED when
 *   the address has an account with another password, CONFLICT for members of the workspace
 */
export async function acceptInvite(
  deps: MemberDeps,
  exchange: Exchange,
  token: string,
  { email, password, name }: InviteAccept,
): Promise<MemberRow> {
  refuseOtherAddress(await getInvite(deps, token), email)
  const existing = await findAccount(deps, exchange, { email, password })
  const passwordHash = existing === undefined ? await hashPassword(password) : ''
  const member = await useInvite(deps, token, async (tx) => {
    return existing ?? (await addPerson(tx, deps, { email, name, passwordHash })).id
  })
  await openSignIn(deps, exchange, member)
  return member
}

/**
 * Makes the caller a member of the workspace that an invite is for, which their sign-in goes to from now on.
 *
 * @throws ApiError NOT_FOUND, FORBIDDEN for keys, INVALID_REQUEST for another address than the invite's, CONFLICT for members
 */
export async function joinByInvite(deps: MemberDeps, caller: Caller, token: string): Promise<MemberRow> {
  const person = await getPerson(deps, caller)
  refuseOtherAddress(await getInvite(deps, token), person.email)
  const member = await useInvite(deps, token, async () => person.id)
  await updateSignInWorkspace(deps.relational.db, caller.signInId!, member.tenant_id)
  deps.signIns.forget()
  return member
}

/** Id of the account that has the address. Its password is checked, and mistakes are counted, as for a sign-in. */
async function findAccount(
  deps: MemberDeps,
  { request }: Exchange,
  credentials: { readonly email: string; readonly password: string },
): Promise<string | undefined> {
  if ((await selectPersonByEmail(deps.relational.db, credentials.email)) === undefined) return undefined
  try {
    return (await checkPassword(deps, request, credentials)).id
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'UNAUTHENTICATED') throw error
    throw new ApiError('UNAUTHENTICATED', 'There is an account with this address. Its password is another one.', {
      cause: error,
    })
  }
}

/** Uses an invite up for a person, as it holds while nobody else changes the members of its workspace. */
async function useInvite(
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
    if (!isNew) throw new ApiError('CONFLICT', 'This account is a member of the workspace already.')
    return (await selectMember(tx, tenant_id, person_id))!
  })
  deps.signIns.forget()
  return member
}

function refuseOtherAddress({ email }: InviteRow, given: string): void {
  if (email === null || email === given) return
  throw new ApiError('INVALID_REQUEST', `This invitation is for ${email}.`)
}

const GONE = 'Invitation not found: it was used or revoked, or its time is over.'
