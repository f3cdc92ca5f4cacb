import { createHash, timingSafeEqual } from 'node:crypto'
import { ApiError, type SetUp, timeOfEpochMs } from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { clientAddress } from '../../http/request-origin.ts'
import { toRow } from '../../storage/relational/migrate.ts'
import type { Database } from '../../storage/relational/port.ts'
import type { MemberRow } from '../../storage/relational/tables/accounts.ts'
import { columns, truth } from '../../storage/rows.ts'
import { getMembership, insertMembership } from './memberships.ts'
import { hashPassword } from './password.ts'
import { addPerson } from './people.ts'
import { markServerAdmin } from './server-admins.ts'
import { forgetSetupCode } from './set-up-code.ts'
import { type Exchange, openSignIn, type SignInDeps } from './sign-in.ts'
import { existsPerson } from './store.ts'
import { lockWorkspace, selectWorkspaces, updateWorkspaceName } from './workspaces/index.ts'

export interface SetUpContext {
  /** Whether a key exists that is neither revoked nor expired. */
  readonly existsValidKey: (db: Database, now: string) => Promise<boolean>
  /** Whether this request may use every route without credentials. */
  readonly isOpen: (request: FastifyRequest) => Promise<boolean>
}

export type SetUpDeps = SignInDeps & SetUpContext

/** Wrong set-up codes of one address within a quarter of an hour. */
const WRONG_CODES = 30

/** Whether any caller can still authenticate: an account exists, or a valid key. */
export async function existsCredential(
  deps: Pick<SetUpDeps, 'existsValidKey' | 'clock'>,
  db: Database,
): Promise<boolean> {
  return (await existsPerson(db)) || (await deps.existsValidKey(db, timeOfEpochMs(deps.clock())))
}

/** The one-time code required for first-run setup, unless the server is open to the request. */
export function getSetupCode({ setupCode, printedSetupCode }: Pick<Config, 'setupCode' | 'printedSetupCode'>) {
  return setupCode ?? printedSetupCode
}

/**
 * Creates the first account of a server that no caller can access, and signs it in. The account is a server
 * administrator and an admin of every workspace. Of several concurrent requests one succeeds.
 *
 * @throws ApiError FORBIDDEN when accounts or valid keys exist, or without a required code; RATE_LIMITED
 */
export async function setUp(deps: SetUpDeps, exchange: Exchange, request: SetUp): Promise<MemberRow> {
  if (await existsCredential(deps, deps.relational.db)) throw new ApiError('FORBIDDEN', TOO_LATE)
  const needsCode = deps.config.setupCode !== undefined || !(await deps.isOpen(exchange.request))
  if (needsCode) checkCode(deps, exchange.request, request.code ?? '')
  const tenantId = await deps.serverIds.getDefaultWorkspaceId()
  const passwordHash = await hashPassword(request.password)
  const member = await deps.relational.transaction(async (tx) => {
    await lockWorkspace(tx, tenantId)
    const isTooLate = needsCode ? await existsCredential(deps, tx) : await wasSetUp(tx)
    if (isTooLate) throw new ApiError('FORBIDDEN', TOO_LATE)
    await updateWorkspaceName(tx, tenantId, request.workspace_name)
    const { email, name } = request
    const person = await addPerson(tx, deps, { email, name, passwordHash })
    await markServerAdmin(tx, person.id)
    const membership = { person_id: person.id, role: 'admin', created_at: timeOfEpochMs(deps.clock()) } as const
    for (const { id } of await selectWorkspaces(tx)) await insertMembership(tx, { ...membership, tenant_id: id })
    await forgetSetupCode(tx)
    return getMembership(tx, tenantId, person.id)
  })
  await openSignIn(deps, exchange, member)
  return member
}

const TOO_LATE = 'This server is already set up. Sign in, or ask an admin for an invitation.'

const NO_CODE = 'This server has no account and no set-up code. Restart it to print a code.'

function checkCode({ config, guesses }: SetUpDeps, request: FastifyRequest, given: string): void {
  const expected = getSetupCode(config)
  if (expected === undefined) throw new ApiError('FORBIDDEN', NO_CODE)
  const limits = [[`setup ${clientAddress(request)}`, WRONG_CODES]] as const
  const guess = guesses.reserve(limits, 'Too many wrong set-up codes. Wait a while, then try again.')
  if (!isCode(given, expected)) {
    throw new ApiError('FORBIDDEN', 'The set-up code is wrong. The server prints the code when it starts.')
  }
  guess.wasRight()
}

function isCode(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text.trim()).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

/**
 * Whether a key or an account was ever created. Stays true when the last key or person is removed, so a server that
 * once required credentials always requires them.
 */
export async function wasSetUp(db: Database): Promise<boolean> {
  const result = await db.execute(sql`
    select exists (select 1 from server_setup)
        or exists (select 1 from api_keys)
        or exists (select 1 from people) as was_set_up`)
  return toRow(result, columns({ was_set_up: truth })).was_set_up
}
