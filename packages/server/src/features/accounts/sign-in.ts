import { ApiError } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'
import { clientAddress } from '../../http/client-address.ts'
import type { GuessLimit, GuessLimits } from '../../http/guess-limits.ts'
import type { MemberRow, PersonRow } from '../../storage/relational/tables/accounts.ts'
import { readDeviceCookie } from './cookie.ts'
import { readDeviceToken } from './known-device.ts'
import { selectMemberships } from './memberships.ts'
import { type AccountDeps, type Exchange, openSignIn } from './open-sign-in.ts'
import { isPassword } from './password.ts'
import { getServerId } from './server-id.ts'
import { selectPersonByEmail } from './store.ts'

export interface Credentials {
  readonly email: string
  readonly password: string
}

/** Wrong passwords within a quarter of an hour. */
const PER_ADDRESS_AND_NAME = 10
const PER_ADDRESS = 50
const PER_DEVICE = 10

/** With so many mistakes under one name from everywhere, each address has fewer left for that name. */
const GUESSED_NAME = 30
const PER_ADDRESS_AND_GUESSED_NAME = 3

export type SignInDeps = AccountDeps & { readonly guesses: GuessLimits }

export const TOO_MANY_PASSWORDS = 'Too many wrong passwords. Wait a while, then try again.'

/**
 * Signs in a person who knows the password, in the workspace that they used last.
 *
 * @throws ApiError UNAUTHENTICATED, RATE_LIMITED
 */
export async function signIn(deps: SignInDeps, exchange: Exchange, credentials: Credentials): Promise<MemberRow> {
  const person = await checkPassword(deps, exchange.request, credentials)
  const [member] = await selectMemberships(deps.relational.db, person.id)
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
  deps: SignInDeps,
  request: FastifyRequest,
  { email, password }: Credentials,
): Promise<PersonRow> {
  const person = await selectPersonByEmail(deps.relational.db, email)
  const device = person && (await findKnownDevice(deps, request, person))
  const limits = device === undefined ? toGuessLimits(deps.guesses, request, email) : limitsOfDevice(device)
  const guess = deps.guesses.reserve(limits, TOO_MANY_PASSWORDS)
  if (!(await isPassword(password, person?.password_hash)) || person === undefined) {
    throw new ApiError('UNAUTHENTICATED', WRONG)
  }
  guess.wasRight()
  return person
}

const WRONG = 'The e-mail address or the password is wrong.'

/**
 * There is no limit per name alone: strangers could use it up, and the name's owner would be refused. Instead each address
 * gets fewer guesses while a name is being guessed from many.
 */
function toGuessLimits(guesses: GuessLimits, request: FastifyRequest, email: string): GuessLimit[] {
  const address = clientAddress(request)
  const name = `name ${email}`
  const isGuessed = guesses.count(name) >= GUESSED_NAME
  return [
    [`pair ${address} ${email}`, isGuessed ? PER_ADDRESS_AND_GUESSED_NAME : PER_ADDRESS_AND_NAME],
    [`address ${address}`, PER_ADDRESS],
    [name, Number.POSITIVE_INFINITY],
  ]
}

/** A browser that once knew the password is counted by itself: what strangers do does not matter to it. */
const limitsOfDevice = (device: string): GuessLimit[] => [[`device ${device}`, PER_DEVICE]]

async function findKnownDevice(deps: SignInDeps, request: FastifyRequest, person: PersonRow) {
  const token = readDeviceCookie(request, await getServerId(deps))
  return token === undefined ? undefined : readDeviceToken(deps, token, person)
}
