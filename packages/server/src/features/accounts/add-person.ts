import { ApiError, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Database } from '../../storage/relational/port.ts'
import type { PersonRow } from '../../storage/relational/tables/accounts.ts'
import { insertPerson } from './store.ts'

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
