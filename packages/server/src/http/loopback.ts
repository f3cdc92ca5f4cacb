import { ApiError } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'

/** Whether a host name or address can only mean this machine. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '')
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name)
}

/**
 * While no key exists, a web page must not reach a developer's server, neither by a name that its owner points at
 * 127.0.0.1 nor by a request across origins.
 *
 * @throws ApiError FORBIDDEN saying what to do
 */
export function refuseForeignPages(request: FastifyRequest): void {
  const { host, origin } = request.headers
  const site = request.headers['sec-fetch-site']
  if (host === undefined || !isLoopback(hostName(`http://${host}`))) {
    throw new ApiError(
      'FORBIDDEN',
      `Without an API key this server answers to localhost only, not to ${host ?? 'a missing Host header'}. Create a key to reach it by other names.`,
    )
  }
  if (origin === undefined ? site === 'cross-site' : !isLoopback(hostName(origin))) {
    throw new ApiError(
      'FORBIDDEN',
      `Without an API key this server refuses requests of web pages of other origins (${origin ?? 'cross-site'}). Create a key to allow programs in.`,
    )
  }
}

function hostName(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : ''
}
