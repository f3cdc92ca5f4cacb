import { createHash, timingSafeEqual } from 'node:crypto'
import { ApiError, type SetUp, timeOfEpochMs } from '@touchstone/contract'
import type { Database } from '../../storage/relational/port.ts'
import { defaultWorkspaceId, lockWorkspace, renameWorkspaceIn, selectWorkspaces } from '../workspaces/index.ts'
import { addPerson } from './add-person.ts'
import { insertMembership, selectMember } from './memberships.ts'
import { type AccountDeps, type Exchange, openSignIn } from './open-sign-in.ts'
import { hashPassword } from './password.ts'
import { existsPerson } from './store.ts'
import type { MemberRow } from './tables.ts'

export type SetUpDeps = AccountDeps & {
  /** Whether a key that was not revoked exists; keys have a room of their own. */
  readonly existsKey: (db: Database) => Promise<boolean>
}

/**
 * Makes the first account of an empty server, admin of every workspace that is there, and signs it in. Of several who try
 * at once one succeeds.
 *
 * @throws ApiError FORBIDDEN once there are people or keys, or without the code where one is needed
 */
export async function setUp(deps: SetUpDeps, exchange: Exchange, wish: SetUp): Promise<MemberRow> {
  if (!isCode(wish.code ?? '', deps.config.setupCode)) {
    throw new ApiError('FORBIDDEN', 'The set-up code is wrong. The server printed it when it started.')
  }
  const tenantId = await defaultWorkspaceId(deps)
  const passwordHash = await hashPassword(wish.password)
  const member = await deps.relational.transaction(async (tx) => {
    await lockWorkspace(tx, tenantId)
    if ((await existsPerson(tx)) || (await deps.existsKey(tx))) throw new ApiError('FORBIDDEN', TOO_LATE)
    await renameWorkspaceIn(tx, tenantId, wish.workspace_name)
    const { email, name } = wish
    const person = await addPerson(tx, deps, { email, name, passwordHash })
    const membership = { person_id: person.id, role: 'admin', created_at: timeOfEpochMs(deps.clock()) } as const
    for (const { id } of await selectWorkspaces(tx)) await insertMembership(tx, { ...membership, tenant_id: id })
    return (await selectMember(tx, tenantId, person.id))!
  })
  await openSignIn(deps, exchange, member)
  return member
}

const TOO_LATE = 'This server is set up already. Sign in, or ask an admin for an invitation.'

function isCode(given: string, expected: string | undefined): boolean {
  if (expected === undefined) return true
  const digest = (text: string) => createHash('sha256').update(text.trim()).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
