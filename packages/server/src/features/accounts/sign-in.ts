import { ApiError } from '@touchstone/contract'
import { addressOf } from './address-of.ts'
import type { Attempts } from './attempts.ts'
import { type AccountDeps, type Exchange, openSignIn } from './open-sign-in.ts'
import { isPassword } from './password.ts'
import { selectPersonByEmail } from './store.ts'
import type { PersonRow } from './tables.ts'

/**
 * Signs in whoever knows the password. An unknown address takes as long and gives the same answer as a wrong password.
 *
 * @throws ApiError UNAUTHENTICATED, RATE_LIMITED
 */
export async function signIn(
  deps: AccountDeps & { readonly attempts: Attempts },
  exchange: Exchange,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<PersonRow> {
  const address = addressOf(exchange.request)
  deps.attempts.check(address, email)
  const person = await selectPersonByEmail(deps.relational.db, email)
  if (!(await isPassword(password, person?.password_hash)) || person === undefined) {
    deps.attempts.noteMistake(address, email)
    throw new ApiError('UNAUTHENTICATED', 'The e-mail address or the password is wrong.')
  }
  deps.attempts.forgive(address, email)
  await openSignIn(deps, exchange, person)
  return person
}
