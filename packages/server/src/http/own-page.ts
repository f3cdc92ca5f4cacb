import { ApiError } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'

/**
 * Lets a request pass that a page of this server sent, or a program that knows nothing of origins. Browsers send along
 * cookies without asking, so whatever believes a cookie, or sets one, asks this first.
 *
 * @throws ApiError FORBIDDEN
 */
export function refuseOtherSites(config: Pick<Config, 'publicUrl'>, { headers }: FastifyRequest): void {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  if (origin === undefined ? site === undefined || site === 'same-origin' || site === 'none' : isOwn(origin)) return
  throw new ApiError(
    'FORBIDDEN',
    `This is answered to pages of this server only, not to ${origin ?? `a ${site} page`}.`,
  )

  /** A proxy that ends TLS changes the scheme and nothing else, so hosts are compared. */
  function isOwn(url: string): boolean {
    if (!URL.canParse(url)) return false
    const own = config.publicUrl === undefined ? host : new URL(config.publicUrl).host
    return new URL(url).host === own || new URL(url).host === host
  }
}

/** As `refuseOtherSites`, for a request that changes something and believes a cookie: without an Origin it is refused. */
export function refuseAnyOtherSite(config: Pick<Config, 'publicUrl'>, request: FastifyRequest): void {
  if (request.headers.origin === undefined && request.method !== 'GET' && request.method !== 'HEAD') {
    throw new ApiError('FORBIDDEN', 'A request that comes by a sign-in and changes something needs an Origin header.')
  }
  refuseOtherSites(config, request)
}
