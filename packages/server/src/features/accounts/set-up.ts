import { createHash, timingSafeEqual } from 'node:crypto'
import { ApiError, type SetUp, timeOfEpochMs } from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { clientAddress } from '../../http/request-origin.ts'
import { toRows } from '../../storage/relational/migrate.ts'
import type { Database } from '../../storage/relational/port.ts'
import type { MemberRow } from '../../storage/relational/tables/accounts.ts'
import { insertMembership, selectMember } from './memberships.ts'
import { hashPassword } from './password.ts'
import { addPerson } from './people.ts'
import { markServerAdmin } from './server-admins.ts'
import { type Exchange, openSignIn, type SignInDeps } from './sign-in.ts'
import { existsPerson } from './store.ts'
import { defaultWorkspaceId, lockWorkspace, renameWorkspaceIn, selectWorkspaces } from './workspaces/index.ts'

export interface SetUpContext {
  /** Whether a key exists that is neither revoked nor expired. */
  readonly existsValidKey: (db: Database, now: string) => Promise<boolean>
  /** Whether this request may do everything without credentials. */
  readonly isOpen: (request: FastifyRequest) => Promise<boolean>
}

export type SetUpDeps = SignInDeps & SetUpContext

/** Wrong set-up codes of one address within a quarter of an hour. */
const WRONG_CODES = 30

/** Whether anybody can still come in: somebody has an account, or a key that holds. */
export async function existsWayIn(deps: Pick<SetUpDeps, 'existsValidKey' | 'clock'>, db: Database): Promise<boolean> {
  return (await existsPerson(db)) || (await deps.existsValidKey(db, timeOfEpochMs(deps.clock())))
}

/** What somebody who sets the server up has to know, unless it is open to them. */
export function getSetupCode({ setupCode, printedSetupCode }: Pick<Config, 'setupCode' | 'printedSetupCode'>) {
  return setupCode ?? printedSetupCode
}

/**
 * Makes the first account of a server that nobody can come in to, a server administrator and an admin of every workspace
 * that is there, and signs it in. Of several who try at once one succeeds.
 *
 * @throws ApiError FORBIDDEN once there are people or valid keys, or without the code where one is needed; RATE_LIMITED
 */
export async function setUp(deps: SetUpDeps, exchange: Exchange, wish: SetUp): Promise<MemberRow> {
  if (await existsWayIn(deps, deps.relational.db)) throw new ApiError('FORBIDDEN', TOO_LATE)
  const needsCode = deps.config.setupCode !== undefined || !(await deps.isOpen(exchange.request))
  if (needsCode) checkCode(deps, exchange.request, wish.code ?? '')
  const tenantId = await defaultWorkspaceId(deps)
  const passwordHash = await hashPassword(wish.password)
  const member = await deps.relational.transaction(async (tx) => {
    await lockWorkspace(tx, tenantId)
    const isTooLate = needsCode ? await existsWayIn(deps, tx) : await wasSetUp(tx)
    if (isTooLate) throw new ApiError('FORBIDDEN', TOO_LATE)
    await renameWorkspaceIn(tx, tenantId, wish.workspace_name)
    const { email, name } = wish
    const person = await addPerson(tx, deps, { email, name, passwordHash })
    await markServerAdmin(tx, person.id)
    const membership = { person_id: person.id, role: 'admin', created_at: timeOfEpochMs(deps.clock()) } as const
    for (const { id } of await selectWorkspaces(tx)) await insertMembership(tx, { ...membership, tenant_id: id })
    return (await selectMember(tx, tenantId, person.id))!
  })
  await openSignIn(deps, exchange, member)
  return member
}

const TOO_LATE = 'This server is set up already. Sign in, or ask an admin for an invitation.'

const NO_CODE =
  'Nobody can sign in to this server, and it has no set-up code. Restart it: it prints a code when it starts.'

function checkCode({ config, guesses }: SetUpDeps, request: FastifyRequest, given: string): void {
  const expected = getSetupCode(config)
  if (expected === undefined) throw new ApiError('FORBIDDEN', NO_CODE)
  const limits = [[`setup ${clientAddress(request)}`, WRONG_CODES]] as const
  const guess = guesses.reserve(limits, 'Too many wrong set-up codes. Wait a while, then try again.')
  if (!isCode(given, expected)) {
    throw new ApiError('FORBIDDEN', 'The set-up code is wrong. The server printed it when it started.')
  }
  guess.wasRight()
}

function isCode(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text.trim()).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

/**
 * Whether a key or an account was ever made. It stays true when the last key is revoked or expires and when the last
 * person is removed, so a server that once asked for credentials never stops asking.
 */
export async function wasSetUp(db: Database): Promise<boolean> {
  const result = await db.execute(sql`
    select exists (select 1 from server_setup)
        or exists (select 1 from api_keys)
        or exists (select 1 from people) as was_set_up`)
  return toRows<{ was_set_up: boolean }>(result)[0]!.was_set_up
}
