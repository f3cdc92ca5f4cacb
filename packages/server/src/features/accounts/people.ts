import { ApiError, type Me, type SignIn, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/serve.ts'
import type { Database } from '../../storage/relational/port.ts'
import type { MemberRow, PersonRow, SignInRow } from '../../storage/relational/tables/accounts.ts'
import { selectMember } from './memberships.ts'
import { hashPassword, isPassword } from './password.ts'
import { type SignInDeps, TOO_MANY_PASSWORDS } from './sign-in.ts'
import { deleteSignIns, insertPerson, selectPerson, updatePerson } from './store.ts'

export interface NewPerson {
  readonly email: string
  readonly name: string | null | undefined
  /** From `hashPassword`, called before the transaction because it is slow. */
  readonly passwordHash: string
}

/** Creates an account without a workspace. @throws ApiError CONFLICT when the address has an account */
export async function addPerson(
  tx: Database,
  { clock, ids }: Pick<Deps, 'clock' | 'ids'>,
  { email, name, passwordHash }: NewPerson,
): Promise<PersonRow> {
  const person: PersonRow = {
    id: ids(),
    email,
    name: name ?? email.slice(0, email.lastIndexOf('@')),
    password_hash: passwordHash,
    is_server_admin: false,
    created_at: timeOfEpochMs(clock()),
    removed_at: null,
  }
  if (await insertPerson(tx, person)) return person
  throw new ApiError('CONFLICT', 'An account with this address exists already. Sign in instead.')
}

/** The sign-in that a request used; undefined for a key. */
export function findSignInId(caller: Caller): string | undefined {
  return caller.kind === 'person' ? caller.signInId : undefined
}

/** The account of the caller. @throws ApiError FORBIDDEN for a key and for a local caller */
export async function getPerson({ relational }: Pick<Deps, 'relational'>, caller: Caller): Promise<PersonRow> {
  const person = caller.kind === 'person' ? await selectPerson(relational.db, caller.actorId) : undefined
  if (person === undefined) throw new ApiError('FORBIDDEN', NO_ACCOUNT)
  return person
}

/**
 * The caller as a member of the workspace of the request. @throws ApiError FORBIDDEN for a key and for a local caller
 */
export async function getMember({ relational }: Pick<Deps, 'relational'>, caller: Caller): Promise<MemberRow> {
  const member =
    caller.kind === 'person' ? await selectMember(relational.db, caller.tenantId, caller.actorId) : undefined
  if (member === undefined) throw new ApiError('FORBIDDEN', NO_ACCOUNT)
  return member
}

/** The address of a caller with an account; null for other callers. */
export async function findEmail(deps: Pick<Deps, 'relational'>, caller: Caller): Promise<string | null> {
  return caller.kind === 'person' ? (await getPerson(deps, caller)).email : null
}

const NO_ACCOUNT = 'This requires a sign-in: a key has no account.'

export function toPersonCaller({ id, tenant_id, name, role, is_server_admin }: MemberRow, signInId?: string): Caller {
  const person: Caller = {
    tenantId: tenant_id,
    kind: 'person',
    actorId: id,
    actorName: name,
    role,
    isServerAdmin: is_server_admin,
  }
  return signInId === undefined ? person : { ...person, signInId }
}

/** Wrong passwords of one sign-in within a quarter of an hour. Other sign-ins do not count against it. */
const WRONG_PASSWORDS = 10

/**
 * Changes the caller's own password and ends all their other sign-ins.
 *
 * @throws ApiError FORBIDDEN for keys, INVALID_REQUEST when the current password is wrong, RATE_LIMITED
 */
export async function changePassword(
  deps: SignInDeps,
  caller: Caller,
  { current, next }: { readonly current: string; readonly next: string },
): Promise<void> {
  const person = await getPerson(deps, caller)
  const guess = deps.guesses.reserve([[`change ${findSignInId(caller)}`, WRONG_PASSWORDS]], TOO_MANY_PASSWORDS)
  if (!(await isPassword(current, person.password_hash))) {
    throw new ApiError('INVALID_REQUEST', undefined, {
      problems: [{ loc: ['body', 'current_password'], msg: 'is not your password', type: 'custom' }],
    })
  }
  guess.wasRight()
  const password_hash = await hashPassword(next)
  await deps.relational.transaction(async (tx) => {
    await updatePerson(tx, person.id, { password_hash })
    await deleteSignIns(tx, person.id, findSignInId(caller))
  })
  deps.signIns.forget()
}

export function presentMe({ id, name, email, role, is_server_admin, tenant_id }: MemberRow): Me {
  return { kind: 'person', id, name, email, role, is_server_admin, tenant_id }
}

/** A caller without an account: a key, or a local caller. */
export function presentCaller({ kind, actorId, actorName, role, isServerAdmin, tenantId }: Caller): Me {
  const who = { kind, id: actorId ?? null, name: actorName ?? null, email: null }
  return { ...who, role, is_server_admin: isServerAdmin, tenant_id: tenantId }
}

export function presentSignIn(row: SignInRow, currentId: string | undefined): SignIn {
  return {
    id: row.id,
    user_agent: row.user_agent,
    created_at: row.created_at,
    last_used_at: row.last_used_at,
    expires_at: row.expires_at,
    is_current: row.id === currentId,
  }
}
