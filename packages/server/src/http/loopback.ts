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
