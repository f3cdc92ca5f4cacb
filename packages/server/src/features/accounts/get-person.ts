import { ApiError } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/caller.ts'
import { selectPerson } from './store.ts'
import type { PersonRow } from './tables.ts'

/** @throws ApiError FORBIDDEN when the caller is no person */
export async function getPerson({ relational }: Pick<Deps, 'relational'>, caller: Caller): Promise<PersonRow> {
  const person =
    caller.kind === 'person' ? await selectPerson(relational.db, caller.tenantId, caller.actorId!) : undefined
  if (person === undefined) throw new ApiError('FORBIDDEN', 'This is for people who signed in; a key has no account.')
  return person
}

/** The address of a caller that is a person. */
export async function emailOf(deps: Pick<Deps, 'relational'>, caller: Caller): Promise<string | null> {
  return caller.kind === 'person' ? (await getPerson(deps, caller)).email : null
}
