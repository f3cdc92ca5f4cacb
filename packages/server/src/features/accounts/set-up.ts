import { createHash, timingSafeEqual } from 'node:crypto'
import { ApiError, type SetUp } from '@touchstone/contract'
import type { Database } from '../../storage/relational/port.ts'
import { defaultWorkspaceId, lockWorkspace, renameWorkspaceIn } from '../workspaces/index.ts'
import { addPerson } from './add-person.ts'
import { type AccountDeps, type Exchange, openSignIn } from './open-sign-in.ts'
import { hashPassword } from './password.ts'
import { existsPerson } from './store.ts'
import type { PersonRow } from './tables.ts'

export type SetUpDeps = AccountDeps & {
  /** Whether a key that was not revoked exists; keys have a room of their own. */
  readonly existsKey: (db: Database) => Promise<boolean>
}

/**
 * Makes the first account of an empty server, an admin, and signs it in. Of several who try at once one succeeds.
 *
 * @throws ApiError FORBIDDEN once there are people or keys, or without the code where one is needed
 */
export async function setUp(deps: SetUpDeps, exchange: Exchange, wish: SetUp): Promise<PersonRow> {
  if (!isCode(wish.code ?? '', deps.config.setupCode)) {
    throw new ApiError('FORBIDDEN', 'The set-up code is wrong. The server printed it when it started.')
  }
  const tenantId = await defaultWorkspaceId(deps)
  const passwordHash = await hashPassword(wish.password)
  const person = await deps.relational.transaction(async (tx) => {
    await lockWorkspace(tx, tenantId)
    if ((await existsPerson(tx)) || (await deps.existsKey(tx))) throw new ApiError('FORBIDDEN', TOO_LATE)
    await renameWorkspaceIn(tx, tenantId, wish.workspace_name)
    const { email, name } = wish
    return addPerson(tx, deps, { tenantId, email, name, role: 'admin', passwordHash })
  })
  await openSignIn(deps, exchange, person)
  return person
}

const TOO_LATE = 'This server is set up already. Sign in, or ask an admin for an invitation.'

function isCode(given: string, expected: string | undefined): boolean {
  if (expected === undefined) return true
  const digest = (text: string) => createHash('sha256').update(text.trim()).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
