import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'

/** Cookies do not know ports, so two servers of one machine are told apart by the ids of their default workspaces. */
const nameOf = (serverId: string) => `touchstone_${serverId.slice(-12)}`

/** The token of the cookie that a browser sent, if it sent one of this server. */
export function readCookie({ headers }: FastifyRequest, serverId: string): string | undefined {
  const name = nameOf(serverId)
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2)
    if (key === name && value !== undefined && /^[\w-]{20,200}$/.test(value)) return value
  }
  return undefined
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
  { request, reply, serverId }: CookieWanted,
  token: string,
  maxAgeSeconds: number,
): void {
  const isSecure = [config.publicUrl, request.headers.origin].some((url) => url?.startsWith('https:'))
  const parts = [`${nameOf(serverId)}=${token}`, 'Path=/', 'HttpOnly', 'SameSite=Strict', `Max-Age=${maxAgeSeconds}`]
  reply.header('set-cookie', [...parts, ...(isSecure ? ['Secure'] : [])].join('; '))
}

export function clearCookie(config: Pick<Config, 'publicUrl'>, wanted: CookieWanted): void {
  writeCookie(config, wanted, '', 0)
}
