import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'

/** Cookies do not know ports, so two servers of one machine are told apart by their workspaces. */
const nameOf = (tenantId: string) => `touchstone_${tenantId.slice(-12)}`

/** The token of the cookie that a browser sent, if it sent one of this workspace. */
export function readCookie({ headers }: FastifyRequest, tenantId: string): string | undefined {
  const name = nameOf(tenantId)
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2)
    if (key === name && value !== undefined && /^[\w-]{20,200}$/.test(value)) return value
  }
  return undefined
}

export interface CookieWanted {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly tenantId: string
}

/** Scripts cannot read it, and no request of another site carries it; behind TLS it travels through TLS alone. */
export function writeCookie(
  config: Pick<Config, 'publicUrl'>,
  { request, reply, tenantId }: CookieWanted,
  token: string,
  maxAgeSeconds: number,
): void {
  const isSecure = [config.publicUrl, request.headers.origin].some((url) => url?.startsWith('https:'))
  const parts = [`${nameOf(tenantId)}=${token}`, 'Path=/', 'HttpOnly', 'SameSite=Strict', `Max-Age=${maxAgeSeconds}`]
  reply.header('set-cookie', [...parts, ...(isSecure ? ['Secure'] : [])].join('; '))
}

export function clearCookie(config: Pick<Config, 'publicUrl'>, wanted: CookieWanted): void {
  writeCookie(config, wanted, '', 0)
}
