import { ApiError } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/caller.ts'
import type { MemberRow, PersonRow } from '../../storage/relational/tables/accounts.ts'
import { selectMember } from './memberships.ts'
import { selectPerson } from './store.ts'

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
