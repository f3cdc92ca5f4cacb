import { isIPv6 } from 'node:net'
import { ApiError } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'

/** Whether a host name or address can only mean this machine. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '')
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name)
}

/** Whether the server is meant for this machine alone: bound to loopback, and no public URL names another host. */
export function isLocalServer({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): boolean {
  return isLoopback(host) && (publicUrl === undefined || isLoopback(hostName(publicUrl)))
}

/** Headers that proxies add and that programs calling a server directly do not send. */
const PROXY_HEADERS =
  /^(?:forwarded|via|x-forwarded(?:-.*)?|x-real-ip|x-client-ip|x-cluster-client-ip|x-original-.*|x-envoy-.*|true-client-ip|cf-connecting-ip|fly-client-ip)$/

/**
 * What shows that a request came from elsewhere than this machine, in words for a message: a header of a proxy,
 * HTTP/1.0 (nginx speaks it to upstreams unless told otherwise), or the address of the peer.
 *
 * @returns undefined for a request of a program on this machine
 */
export function findSignOfOrigin({ headers, socket, raw }: FastifyRequest): string | undefined {
  const header = Object.keys(headers).find((name) => PROXY_HEADERS.test(name))
  if (header !== undefined) return `it carries the header ${header}`
  if (raw.httpVersion === '1.0') return 'it uses HTTP/1.0'
  const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  return isLoopback(peer) ? undefined : `it comes from ${peer}`
}

/**
 * While the server is open, a web page must not reach it, neither by a name that its owner points at 127.0.0.1 nor by a
 * request across origins.
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

/**
 * The address by which requests of one client are counted: the peer's, or what a trusted proxy
 * (`TOUCHSTONE_TRUSTED_PROXIES`) says. IPv6 addresses are counted by their /64 network, which one client has to itself.
 */
export function clientAddress({ ip }: Pick<FastifyRequest, 'ip'>): string {
  const address = ip.replace(/^::ffff:(?=\d+\.)/i, '')
  return isIPv6(address) ? `${firstGroups(address)}::/64` : address
}

/** The first four groups of an address, written out. */
function firstGroups(address: string): string {
  const [head = '', tail] = address.replace(/%.*$/, '').split('::')
  const [before, after] = [splitGroups(head), splitGroups(tail ?? '')]
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  return [...before, ...Array<string>(zeros).fill('0'), ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

const splitGroups = (text: string) => (text === '' ? [] : text.split(':'))

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

/** Where users reach this server: as the operator said, else as this caller did. */
export function getOrigin(config: Pick<Config, 'publicUrl'>, request: FastifyRequest): string {
  return config.publicUrl ?? `${request.protocol}://${request.host}`
}

/** The same, beside what a feature needs: whatever it reads has absolute URLs. */
export function withOrigin<Needed extends { readonly config: Pick<Config, 'publicUrl'> }>(
  deps: Needed,
  request: FastifyRequest,
): Needed & { readonly origin: string } {
  return { ...deps, origin: getOrigin(deps.config, request) }
}
