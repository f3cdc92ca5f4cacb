import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { Deps } from '../../deps.ts'
import { getServerSecret } from '../../storage/relational/server-secret.ts'
import type { PersonRow } from '../../storage/relational/tables/accounts.ts'

/** Browsers share cookies between ports, so the id of the server distinguishes two servers on one machine. */
const toCookieName = (serverId: string) => `touchstone_${serverId.slice(-12)}`

const toDeviceCookieName = (serverId: string) => `touchstone_device_${serverId.slice(-12)}`

/** The sign-in token in the cookie of this server, if the browser sent one. */
export function readCookie(request: FastifyRequest, serverId: string): string | undefined {
  return readNamed(request, toCookieName(serverId))
}

/** The token that shows that a person has signed in with this browser before. */
export function readDeviceCookie(request: FastifyRequest, serverId: string): string | undefined {
  return readNamed(request, toDeviceCookieName(serverId))
}

export interface CookieExchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** See `ServerIds.getServerId`. */
  readonly serverId: string
}

/**
 * Scripts cannot read the cookie, and requests from other sites do not carry it. Behind TLS it is sent over TLS only.
 */
export function writeCookie(
  config: Pick<Config, 'publicUrl'>,
  wanted: CookieExchange,
  token: string,
  maxAgeSeconds: number,
): void {
  writeNamed(config, wanted, toCookieName(wanted.serverId), token, maxAgeSeconds)
}

export function writeDeviceCookie(
  config: Pick<Config, 'publicUrl'>,
  wanted: CookieExchange,
  token: string,
  maxAgeSeconds: number,
): void {
  writeNamed(config, wanted, toDeviceCookieName(wanted.serverId), token, maxAgeSeconds)
}

export function clearCookie(config: Pick<Config, 'publicUrl'>, wanted: CookieExchange): void {
  writeCookie(config, wanted, '', 0)
}

function readNamed({ headers }: FastifyRequest, name: string): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2)
    if (key === name && value !== undefined && /^[\w-]{20,200}$/.test(value)) return value
  }
  return undefined
}

function writeNamed(
  config: Pick<Config, 'publicUrl'>,
  { request, reply }: CookieExchange,
  name: string,
  token: string,
  maxAgeSeconds: number,
): void {
  const isSecure =
    request.protocol === 'https' || [config.publicUrl, request.headers.origin].some((url) => url?.startsWith('https:'))
  const parts = [`${name}=${token}`, 'Path=/', 'HttpOnly', 'SameSite=Strict', `Max-Age=${maxAgeSeconds}`]
  reply.header('set-cookie', [...parts, ...(isSecure ? ['Secure'] : [])].join('; '))
}

/** A device token is valid for a year after the last sign-in. */
export const DEVICE_TOKEN_SECONDS = 365 * 24 * 3600

const ID_BYTES = 16
const TIME_BYTES = 6

type Person = Pick<PersonRow, 'id' | 'password_hash'>

/**
 * A token for a browser in which a person has just signed in. It grants no access. It only shows later that this
 * browser knew the password, so that strangers who guess it cannot lock the person out. A new password ends it.
 */
export async function makeDeviceToken(deps: Pick<Deps, 'relational' | 'clock'>, person: Person): Promise<string> {
  const time = Buffer.alloc(TIME_BYTES)
  time.writeUIntBE(Math.floor(deps.clock() / 1000), 0, TIME_BYTES)
  const head = Buffer.concat([randomBytes(ID_BYTES), time])
  return Buffer.concat([head, await sign(deps, head, person)]).toString('base64url')
}

/** The id of the device that a token was made for; undefined for another person's, a forged or an expired token. */
export async function readDeviceToken(
  deps: Pick<Deps, 'relational' | 'clock'>,
  token: string,
  person: Person,
): Promise<string | undefined> {
  const bytes = Buffer.from(token, 'base64url')
  const head = bytes.subarray(0, ID_BYTES + TIME_BYTES)
  const given = bytes.subarray(ID_BYTES + TIME_BYTES)
  const expected = await sign(deps, head, person)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  const ageSeconds = deps.clock() / 1000 - head.readUIntBE(ID_BYTES, TIME_BYTES)
  return ageSeconds < DEVICE_TOKEN_SECONDS ? head.toString('base64url', 0, ID_BYTES) : undefined
}

async function sign({ relational }: Pick<Deps, 'relational'>, head: Buffer, person: Person): Promise<Buffer> {
  const secret = await getServerSecret(relational, 'known devices')
  return createHmac('sha256', secret).update(head).update(`${person.id} ${person.password_hash}`).digest()
}
