import { isIPv6 } from 'node:net'
import { ApiError } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'

/** Whether a host name or address always refers to this machine. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '')
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name)
}

/** Whether the server is for this machine alone: bound to loopback, and no public URL names another host. */
export function isLocalServer({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): boolean {
  return isLoopback(host) && (publicUrl === undefined || isLoopback(hostName(publicUrl)))
}

/** Headers that proxies add, and that programs do not send to a server directly. */
const PROXY_HEADERS =
  /^(?:forwarded|via|x-forwarded(?:-.*)?|x-real-ip|x-client-ip|x-cluster-client-ip|x-original-.*|x-envoy-.*|true-client-ip|cf-connecting-ip|fly-client-ip)$/

/**
 * Returns the evidence, for a message, that a request came from another machine: a header of a proxy, HTTP/1.0 (nginx
 * uses it for upstreams by default), or the address of the peer.
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
 * Refuses requests of web pages to an open server: by a name whose owner points it to 127.0.0.1, or across origins.
 *
 * @throws ApiError FORBIDDEN with the remedy
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
 * Returns the address by which requests of one client are counted: the peer's, or the client's from a trusted proxy
 * (`TOUCHSTONE_TRUSTED_PROXIES`). IPv6 addresses are counted by their /64 network, which belongs to one client.
 */
export function clientAddress({ ip }: Pick<FastifyRequest, 'ip'>): string {
  const address = ip.replace(/^::ffff:(?=\d+\.)/i, '')
  return isIPv6(address) ? `${firstGroups(address)}::/64` : address
}

/** Returns the first four groups of an IPv6 address in full. */
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
 * Refuses requests of pages of other sites; accepts those of our pages, and of programs that send no Origin. Browsers
 * send cookies automatically, so every route that reads or sets a cookie calls this first.
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

  /** A proxy that terminates TLS changes the scheme only, so hosts are compared. */
  function isOwn(url: string): boolean {
    if (!URL.canParse(url)) return false
    const own = config.publicUrl === undefined ? host : new URL(config.publicUrl).host
    return new URL(url).host === own || new URL(url).host === host
  }
}

/** Like `refuseOtherSites`, for a change that is authorized by a cookie: a request without an Origin is refused. */
export function refuseAnyOtherSite(config: Pick<Config, 'publicUrl'>, request: FastifyRequest): void {
  if (request.headers.origin === undefined && request.method !== 'GET' && request.method !== 'HEAD') {
    throw new ApiError('FORBIDDEN', 'A request that comes by a sign-in and changes something needs an Origin header.')
  }
  refuseOtherSites(config, request)
}

/** The URL under which users reach this server: the operator's setting, else the one that this caller used. */
export function getOrigin(config: Pick<Config, 'publicUrl'>, request: FastifyRequest): string {
  return config.publicUrl ?? `${request.protocol}://${request.host}`
}

/** Adds the base URL to the dependencies of a feature, for absolute URLs in its answers. */
export function withOrigin<Needed extends { readonly config: Pick<Config, 'publicUrl'> }>(
  deps: Needed,
  request: FastifyRequest,
): Needed & { readonly origin: string } {
  return { ...deps, origin: getOrigin(deps.config, request) }
}
