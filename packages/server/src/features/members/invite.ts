import { ApiError, type InviteAccept, type InviteCreate, timeOfEpochMs } from '@touchstone/contract'
import type { Caller } from '../../http/caller.ts'
import {
  addPerson,
  type Exchange,
  hashOfToken,
  hashPassword,
  newToken,
  openSignIn,
  type PersonRow,
} from '../accounts/index.ts'
import type { MemberDeps } from './change-member.ts'
import { deleteInvite, insertInvite, selectInviteByHash } from './store.ts'
import type { InviteRow } from './tables.ts'

const DAY_MS = 86_400_000

/** The token is in the answer and nowhere else. */
export async function invite(
  { relational, clock, ids }: MemberDeps,
  { tenantId, actorName }: Caller,
  { role, email, expires_in_days }: InviteCreate,
): Promise<{ readonly row: InviteRow; readonly token: string }> {
  const token = newToken()
  const now = clock()
  const row: InviteRow = {
    id: ids(),
    tenant_id: tenantId,
    hash: hashOfToken(token),
    role,
    email: email ?? null,
    created_by_name: actorName ?? null,
    created_at: timeOfEpochMs(now),
    expires_at: timeOfEpochMs(now + expires_in_days * DAY_MS),
  }
  await insertInvite(relational.db, row)
  return { row, token }
}

/** @throws ApiError NOT_FOUND, the same for unknown, used, revoked and expired ones */
export async function getInvite({ relational, clock }: MemberDeps, token: string): Promise<InviteRow> {
  const row = await selectInviteByHash(relational.db, hashOfToken(token), timeOfEpochMs(clock()))
  if (row === undefined) throw new ApiError('NOT_FOUND', GONE)
  return row
}

/**
 * Makes the account that an invite is for and signs it in. Of several who use one invite at once one gets in.
 *
 * @throws ApiError NOT_FOUND, INVALID_REQUEST for another address than the invite's, CONFLICT when the address has an account
 */
export async function acceptInvite(
  deps: MemberDeps,
  exchange: Exchange,
  token: string,
  { email, password, name }: InviteAccept,
): Promise<PersonRow> {
  const found = await getInvite(deps, token)
  if (found.email !== null && found.email !== email) {
    throw new ApiError('INVALID_REQUEST', `This invitation is for ${found.email}.`)
  }
  const passwordHash = await hashPassword(password)
  const person = await deps.relational.transaction(async (tx) => {
    const isOurs = await deleteInvite(tx, found.tenant_id, found.id)
    if (!isOurs) throw new ApiError('NOT_FOUND', GONE)
    return addPerson(tx, deps, { tenantId: found.tenant_id, email, name, role: found.role, passwordHash })
  })
  await openSignIn(deps, exchange, person)
  return person
}

const GONE = 'Invitation not found: it was used or revoked, or its time is over.'
