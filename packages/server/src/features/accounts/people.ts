import { ApiError, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/caller.ts'
import type { Database } from '../../storage/relational/port.ts'
import type { MemberRow, PersonRow } from '../../storage/relational/tables/accounts.ts'
import { selectMember } from './memberships.ts'
import { hashPassword, isPassword } from './password.ts'
import { type SignInDeps, TOO_MANY_PASSWORDS } from './sign-in.ts'
import { deleteSignIns, insertPerson, selectPerson, updatePerson } from './store.ts'

export interface NewPerson {
  readonly email: string
  readonly name: string | null | undefined
  /** From `hashPassword`, made before the transaction: it takes a while. */
  readonly passwordHash: string
}

/** Makes an account, which belongs to no workspace yet. @throws ApiError CONFLICT when somebody has the address */
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
  throw new ApiError('CONFLICT', 'There is an account with this address already. Sign in instead.')
}

/** The account of the caller. @throws ApiError FORBIDDEN when the caller is no person */
export async function getPerson({ relational }: Pick<Deps, 'relational'>, caller: Caller): Promise<PersonRow> {
  const person = caller.kind === 'person' ? await selectPerson(relational.db, caller.actorId!) : undefined
  if (person === undefined) throw new ApiError('FORBIDDEN', NO_PERSON)
  return person
}

/** The caller as a member of the workspace of the request. @throws ApiError FORBIDDEN when the caller is no person */
export async function getMember({ relational }: Pick<Deps, 'relational'>, caller: Caller): Promise<MemberRow> {
  const member =
    caller.kind === 'person' ? await selectMember(relational.db, caller.tenantId, caller.actorId!) : undefined
  if (member === undefined) throw new ApiError('FORBIDDEN', NO_PERSON)
  return member
}

/** The address of a caller that is a person. */
export async function findEmail(deps: Pick<Deps, 'relational'>, caller: Caller): Promise<string | null> {
  return caller.kind === 'person' ? (await getPerson(deps, caller)).email : null
}

const NO_PERSON = 'This is for people who signed in; a key has no account.'

export function callerOfPerson({ id, tenant_id, name, role, is_server_admin }: MemberRow, signInId?: string): Caller {
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

/** Wrong passwords of one sign-in within a quarter of an hour. Others cannot use them up. */
const MISTAKES = 10

/**
 * Changes the caller's own password and ends all their sign-ins but the one they came by.
 *
 * @throws ApiError FORBIDDEN for keys, INVALID_REQUEST when the current password is wrong, RATE_LIMITED
 */
export async function changePassword(
  deps: SignInDeps,
  caller: Caller,
  { current, next }: { readonly current: string; readonly next: string },
): Promise<void> {
  const person = await getPerson(deps, caller)
  const guess = deps.guesses.reserve([[`change ${caller.signInId}`, MISTAKES]], TOO_MANY_PASSWORDS)
  if (!(await isPassword(current, person.password_hash))) {
    throw new ApiError('INVALID_REQUEST', undefined, {
      problems: [{ loc: ['body', 'current_password'], msg: 'is not your password', type: 'custom' }],
    })
  }
  guess.wasRight()
  const password_hash = await hashPassword(next)
  await deps.relational.transaction(async (tx) => {
    await updatePerson(tx, person.id, { password_hash })
    await deleteSignIns(tx, person.id, caller.signInId)
  })
  deps.signIns.forget()
}
