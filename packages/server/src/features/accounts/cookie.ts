import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'

/** Cookies do not know ports, so two servers of one machine are told apart by the ids of their default workspaces. */
const toCookieName = (serverId: string) => `touchstone_${serverId.slice(-12)}`

const toDeviceCookieName = (serverId: string) => `touchstone_device_${serverId.slice(-12)}`

/** The token of the cookie that a browser sent, if it sent one of this server. */
export function readCookie(request: FastifyRequest, serverId: string): string | undefined {
  return readNamed(request, toCookieName(serverId))
}

/** The token by which a browser is known to have signed somebody in before. */
export function readDeviceCookie(request: FastifyRequest, serverId: string): string | undefined {
  return readNamed(request, toDeviceCookieName(serverId))
}

export interface CookieWanted {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Id of the default workspace. */
  readonly serverId: string
}

/** Scripts cannot read it, and no request of another site carries it; behind TLS it travels through TLS alone. */
export function writeCookie(
  config: Pick<Config, 'publicUrl'>,
  wanted: CookieWanted,
  token: string,
  maxAgeSeconds: number,
): void {
  writeNamed(config, wanted, toCookieName(wanted.serverId), token, maxAgeSeconds)
}

export function writeDeviceCookie(
  config: Pick<Config, 'publicUrl'>,
  wanted: CookieWanted,
  token: string,
  maxAgeSeconds: number,
): void {
  writeNamed(config, wanted, toDeviceCookieName(wanted.serverId), token, maxAgeSeconds)
}

export function clearCookie(config: Pick<Config, 'publicUrl'>, wanted: CookieWanted): void {
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
  { request, reply }: CookieWanted,
  name: string,
  token: string,
  maxAgeSeconds: number,
): void {
  const isSecure =
    request.protocol === 'https' || [config.publicUrl, request.headers.origin].some((url) => url?.startsWith('https:'))
  const parts = [`${name}=${token}`, 'Path=/', 'HttpOnly', 'SameSite=Strict', `Max-Age=${maxAgeSeconds}`]
  reply.header('set-cookie', [...parts, ...(isSecure ? ['Secure'] : [])].join('; '))
}
