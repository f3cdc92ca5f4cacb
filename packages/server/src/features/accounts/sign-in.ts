import { ApiError, timeOfEpochMs, toStorable } from '@touchstone/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock, Deps } from '../../deps.ts'
import type { GuessLimit, GuessLimits } from '../../http/guess-limits.ts'
import { clientAddress } from '../../http/request-origin.ts'
import { createSteadyClock } from '../../steady-clock.ts'
import type { MemberRow, PersonRow, SignInRow } from '../../storage/relational/tables/accounts.ts'
import {
  DEVICE_TOKEN_SECONDS,
  makeDeviceToken,
  readDeviceCookie,
  readDeviceToken,
  writeCookie,
  writeDeviceCookie,
} from './cookies.ts'
import { selectMemberships } from './memberships.ts'
import { isPassword } from './password.ts'
import { hashToken, newToken } from './secrets.ts'
import type { ServerIds } from './server-ids.ts'
import {
  deletePastSignIns,
  insertSignIn,
  markSeen,
  selectPerson,
  selectPersonByEmail,
  selectSignInByHash,
} from './store.ts'

export interface Credentials {
  readonly email: string
  readonly password: string
}

/** Wrong passwords within a quarter of an hour. */
const PER_ADDRESS_AND_NAME = 10
const PER_ADDRESS = 50
const PER_DEVICE = 10

/** After this many wrong passwords for one name from all addresses, each address has fewer attempts for that name. */
const GUESSED_NAME = 30
const PER_ADDRESS_AND_GUESSED_NAME = 3

export type SignInDeps = AccountDeps & { readonly guesses: GuessLimits }

export const TOO_MANY_PASSWORDS = 'Too many wrong passwords. Wait a while, then try again.'

/**
 * Signs in a person with their password, in the workspace that they used last.
 *
 * @throws ApiError UNAUTHENTICATED, RATE_LIMITED
 */
export async function signIn(deps: SignInDeps, exchange: Exchange, credentials: Credentials): Promise<MemberRow> {
  const person = await checkPassword(deps, exchange.request, credentials)
  const [member] = await selectMemberships(deps.relational.db, person.id)
  if (member === undefined) throw new ApiError('UNAUTHENTICATED', WRONG_CREDENTIALS)
  await openSignIn(deps, exchange, member)
  return member
}

/**
 * The account of an address and its password. An unknown address takes as long and gives the same response as a wrong
 * password.
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
  const limits = device === undefined ? toGuessLimits(deps.guesses, request, email) : toDeviceLimits(device)
  const guess = deps.guesses.reserve(limits, TOO_MANY_PASSWORDS)
  if (!(await isPassword(password, person?.password_hash)) || person === undefined) {
    throw new ApiError('UNAUTHENTICATED', WRONG_CREDENTIALS)
  }
  guess.wasRight()
  return person
}

const WRONG_CREDENTIALS = 'The email address or the password is wrong.'

/**
 * There is no limit per name alone: strangers could exhaust it and lock the owner of the name out. Instead each address
 * has fewer attempts while many addresses try one name.
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

/** A browser that signed the person in before has its own limit, which attempts of strangers do not affect. */
const toDeviceLimits = (device: string): GuessLimit[] => [[`device ${device}`, PER_DEVICE]]

async function findKnownDevice(deps: SignInDeps, request: FastifyRequest, person: PersonRow) {
  const token = readDeviceCookie(request, await deps.serverIds.getServerId())
  return token === undefined ? undefined : readDeviceToken(deps, token, person)
}

export type AccountDeps = Pick<Deps, 'relational' | 'clock' | 'ids' | 'config'> & {
  readonly signIns: SignIns
  readonly serverIds: ServerIds
}

export interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

const SIGN_IN_SECONDS = 30 * 24 * 3600

/** Signs a person in with the browser of the request, with the given workspace as the first one. */
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
    hash: hashToken(token),
    user_agent: agent === undefined ? null : toStorable(agent),
    created_at: timeOfEpochMs(now),
    last_used_at: timeOfEpochMs(now),
    expires_at: timeOfEpochMs(now + SIGN_IN_SECONDS * 1000),
  })
  signIns.forget()
  const wanted = { request, reply, serverId: await deps.serverIds.getServerId() }
  writeCookie(config, wanted, token, SIGN_IN_SECONDS)
  const person = await selectPerson(relational.db, id)
  if (person === undefined) return
  writeDeviceCookie(config, wanted, await makeDeviceToken(deps, person), DEVICE_TOKEN_SECONDS)
}

interface FoundSignIn {
  readonly signIn: SignInRow
  /** The memberships of the person; never empty. The first one is the default workspace of a request. */
  readonly members: readonly MemberRow[]
}

/** Another process may end a sign-in or change a role, so a cached sign-in is valid for five seconds at most. */
const CACHED_MS = 5_000
const USE_WRITTEN_EVERY_MS = 60_000
const MAX_CACHED = 10_000

/** Finds sign-ins, with a short cache so that a page with many requests costs one query. */
export class SignIns {
  private readonly cache = new Map<string, { found: FoundSignIn | undefined; until: number }>()
  private readonly used = new Map<string, { at: number; tenantId: string }>()

  private readonly steady: Clock

  constructor(private readonly deps: Pick<Deps, 'relational' | 'clock' | 'log'>) {
    this.steady = createSteadyClock(deps.clock)
  }

  /** Finds the valid sign-in of this token. */
  async find(token: string): Promise<FoundSignIn | undefined> {
    const now = this.deps.clock()
    const found = await this.lookUp(hashToken(token))
    return found === undefined || Date.parse(found.signIn.expires_at) <= now ? undefined : found
  }

  /** Clears the cache after a person, a membership or a sign-in changed in this process. */
  forget(): void {
    this.cache.clear()
  }

  /** Writes the last use in the background, at most once a minute, or every five seconds when the workspace changed. */
  recordUse({ signIn }: FoundSignIn, tenantId: string): void {
    const now = this.steady()
    const last = this.used.get(signIn.id)
    if (last !== undefined) {
      const every = last.tenantId === tenantId ? USE_WRITTEN_EVERY_MS : CACHED_MS
      if (now - last.at < every) return
    }
    if (this.used.size >= MAX_CACHED) this.used.clear()
    this.used.set(signIn.id, { at: now, tenantId })
    markSeen(this.deps.relational.db, signIn, tenantId, timeOfEpochMs(this.deps.clock())).catch((error) =>
      this.deps.log.warn({ err: error }, 'could not store when a person was last seen'),
    )
  }

  private async lookUp(hash: string): Promise<FoundSignIn | undefined> {
    const now = this.steady()
    const remembered = this.cache.get(hash)
    if (remembered !== undefined && remembered.until > now) return remembered.found
    const found = await this.read(hash)
    if (this.cache.size >= MAX_CACHED) this.cache.clear() // a caller can invent any number of wrong tokens
    this.cache.set(hash, { found, until: now + CACHED_MS })
    return found
  }

  private async read(hash: string): Promise<FoundSignIn | undefined> {
    const { db } = this.deps.relational
    const signIn = await selectSignInByHash(db, hash)
    if (signIn === undefined) return undefined
    const members = await selectMemberships(db, signIn.person_id)
    if (members.length === 0) return undefined
    const lastUsed = members.filter(({ tenant_id }) => tenant_id === signIn.tenant_id)
    return { signIn, members: [...lastUsed, ...members.filter((member) => !lastUsed.includes(member))] }
  }
}
