import { ApiError, timeOfEpochMs } from '@touchstone/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import type { GuessLimit, GuessLimits } from '../../http/guess-limits.ts'
import { clientAddress } from '../../http/request-origin.ts'
import { isStorable } from '../../storage/relational/columns.ts'
import type { MemberRow, PersonRow } from '../../storage/relational/tables/accounts.ts'
import {
  DEVICE_HOLDS_SECONDS,
  makeDeviceToken,
  readDeviceCookie,
  readDeviceToken,
  writeCookie,
  writeDeviceCookie,
} from './cookies.ts'
import { selectMemberships } from './memberships.ts'
import { isPassword } from './password.ts'
import { getServerId } from './server-id.ts'
import type { SignIns } from './sign-ins.ts'
import { deletePastSignIns, insertSignIn, selectPerson, selectPersonByEmail } from './store.ts'
import { hashOfToken, newToken } from './token.ts'

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

export type AccountDeps = Pick<Deps, 'relational' | 'clock' | 'ids' | 'config'> & { readonly signIns: SignIns }

export interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

const HOLDS_SECONDS = 30 * 24 * 3600

/** Signs a person in at the browser that asked, with the given workspace as the one it starts in. */
export async function openSignIn(
  deps: AccountDeps,
  { request, reply }: Exchange,
  { id, tenant_id }: Pick<MemberRow, 'id' | 'tenant_id'>,
): Promise<void> {
  const { relational, clock, ids, config, signIns } = deps
  const token = newToken()
  const now = clock()
  const agent = request.headers['user-agent']?.slice(0, 300)
  await deletePastSignIns(relational.db, id, timeOfEpochMs(now))
  await insertSignIn(relational.db, {
    id: ids(),
    tenant_id,
    person_id: id,
    hash: hashOfToken(token),
    user_agent: agent !== undefined && isStorable(agent) ? agent : null,
    created_at: timeOfEpochMs(now),
    last_used_at: timeOfEpochMs(now),
    expires_at: timeOfEpochMs(now + HOLDS_SECONDS * 1000),
  })
  signIns.forget()
  const wanted = { request, reply, serverId: await getServerId(deps) }
  writeCookie(config, wanted, token, HOLDS_SECONDS)
  const person = await selectPerson(relational.db, id)
  if (person === undefined) return
  writeDeviceCookie(config, wanted, await makeDeviceToken(deps, person), DEVICE_HOLDS_SECONDS)
}
