import { ApiError, type InviteCreate, isAtLeast, timeOfEpochMs } from '@touchstone/contract'
import type { Caller } from '../../../http/caller.ts'
import type { InviteRow } from '../../../storage/relational/tables/accounts.ts'
import { readMaker } from '../auth/index.ts'
import { hashOfToken, newToken } from '../index.ts'
import { lockWorkspace } from '../workspaces/index.ts'
import type { MemberDeps } from './change-member.ts'
import { insertInvite } from './store.ts'

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
