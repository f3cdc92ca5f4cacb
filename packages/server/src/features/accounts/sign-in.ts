import { ApiError } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'
import { addressOf } from './address-of.ts'
import type { Attempts } from './attempts.ts'
import { selectMembershipsOf } from './memberships.ts'
import { type AccountDeps, type Exchange, openSignIn } from './open-sign-in.ts'
import { isPassword } from './password.ts'
import { selectPersonByEmail } from './store.ts'
import type { MemberRow, PersonRow } from './tables.ts'

export type SignInDeps = AccountDeps & { readonly attempts: Attempts }

export interface Credentials {
  readonly email: string
  readonly password: string
}

/**
 * Signs in a person who knows the password, in the workspace that they used last.
 *
 * @throws ApiError UNAUTHENTICATED, RATE_LIMITED
 */
export async function signIn(deps: SignInDeps, exchange: Exchange, credentials: Credentials): Promise<MemberRow> {
  const person = await checkPassword(deps, exchange.request, credentials)
  const [member] = await selectMembershipsOf(deps.relational.db, person.id)
  if (member === undefined) throw new ApiError('UNAUTHENTICATED', WRONG)
  await openSignIn(deps, exchange, member)
  return member
}

/**
 * The account of an address and its password. An unknown address takes as long and gives the same answer as a wrong password.
 *
 * @throws ApiError UNAUTHENTICATED, RATE_LIMITED
 */
export async function checkPassword(
  { relational, attempts }: SignInDeps,
  request: FastifyRequest,
  { email, password }: Credentials,
): Promise<PersonRow> {
  const address = addressOf(request)
  attempts.check(address, email)
  const person = await selectPersonByEmail(relational.db, email)
  if (!(await isPassword(password, person?.password_hash)) || person === undefined) {
    attempts.noteMistake(address, email)
    throw new ApiError('UNAUTHENTICATED', WRONG)
  }
  attempts.forgive(address, email)
  return person
}

const WRONG = 'The e-mail address or the password is wrong.'
