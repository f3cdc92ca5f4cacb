import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'

/**
 * A call that was not made or not answered. Its message may be shown to the user who gave the URL: it contains neither
 * secrets nor the addresses of a name.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  /** `refused`: our rules forbid the call, also when it is repeated; `failed`: a repeated call may succeed. */
  readonly kind: 'refused' | 'failed'
  /** Where a call failed; `rule` for calls that our rules forbid. */
  readonly reason: OutboundFailure

  constructor(kind: 'refused' | 'failed', message: string, options?: ErrorOptions & { reason?: OutboundFailure }) {
    super(message, options)
    this.kind = kind
    this.reason = options?.reason ?? (kind === 'refused' ? 'rule' : 'connection')
  }
}

/** `connection`: refused, reset or unreachable; `ended`: the connection broke within the answer. */
export type OutboundFailure = 'rule' | 'dns' | 'connection' | 'tls' | 'timeout' | 'ended' | 'cancelled'

/** The targets that may be called: the public internet, and the entries of the operator. */
export interface Allowed {
  /** The operator listed the host itself; all its addresses are allowed. */
  host(name: string): boolean
  address(address: string): boolean
}

/** @param entries  host names, addresses, and networks such as `10.0.0.0/8`, as `parseAllowed` returns them */
export function allowedBy(entries: readonly string[]): Allowed {
  const hosts = new Set<string>()
  const nets = { 4: new BlockList(), 6: new BlockList() }
  for (const entry of entries) {
    const net = parseNet(entry)
    if (net === undefined) hosts.add(toHostName(entry))
    else nets[net.family].addSubnet(net.address, net.bits, net.family === 4 ? 'ipv4' : 'ipv6')
  }
  return {
    host: (name) => hosts.has(toHostName(name)),
    address(address) {
      const family = isIP(address) as 0 | 4 | 6
      if (family === 0) return false
      return isPublicAddress(address) || nets[family].check(address, family === 4 ? 'ipv4' : 'ipv6')
    },
  }
}

/** Parses a list separated by commas; undefined when an entry is neither host, address nor network. */
export function parseAllowed(text: string): readonly string[] | undefined {
  const entries = text.split(',').map((entry) => entry.trim())
  return entries.every((entry) => parseNet(entry) !== undefined || /^[a-z\d](?:[\w.-]*[a-z\d])?$/i.test(entry))
    ? entries
    : undefined
}

/** Like `parseAllowed`, without host names. */
export function parseNetworks(text: string): readonly string[] | undefined {
  const entries = text.split(',').map((entry) => entry.trim())
  return entries.every((entry) => parseNet(entry) !== undefined) ? entries : undefined
}

function parseNet(entry: string): { address: string; bits: number; family: 4 | 6 } | undefined {
  const [address = '', given, ...rest] = entry.replaceAll(/^\[|\]$/g, '').split('/')
  const family = isIP(address) as 0 | 4 | 6
  if (family === 0 || rest.length > 0) return undefined
  const most = family === 4 ? 32 : 128
  const bits = given === undefined ? most : /^\d{1,3}$/.test(given) ? Number(given) : Number.NaN
  return bits <= most ? { address, bits, family } : undefined
}

/** The networks of this machine, for a server that only this machine reaches. */
export const LOOPBACK: readonly string[] = ['127.0.0.0/8', '::1']

const toHostName = (host: string) => host.toLowerCase().replace(/\.$/, '')

/** IPv4 networks that are not part of the public internet (RFC 6890 and its successors). */
const NOT_PUBLIC_V4: readonly (readonly [net: string, bits: number])[] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT, and internal networks of cloud providers
  ['127.0.0.0', 8],
  ['169.254.0.0', 16], // link-local: the metadata services of cloud providers
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
]

/**
 * The networks in 2000::/3 that are not public. No other IPv6 is assigned; all of it (ULA, mapped, NAT64, …) is
 * refused.
 */
const NOT_PUBLIC_V6: readonly (readonly [net: string, bits: number])[] = [
  ['2001::', 23], // protocols such as Teredo, which contains an IPv4 address
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4 contains an IPv4 address
  ['3fff::', 20],
]

const v4 = blockList('ipv4', NOT_PUBLIC_V4)
const v6 = blockList('ipv6', NOT_PUBLIC_V6)
const handedOutV6 = blockList('ipv6', [['2000::', 3]])

/** Whether an address in its printed form belongs to the public internet. */
function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !v4.check(address, 'ipv4')
  return family === 6 && handedOutV6.check(address, 'ipv6') && !v6.check(address, 'ipv6')
}

function blockList(family: 'ipv4' | 'ipv6', nets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList()
  for (const [net, bits] of nets) list.addSubnet(net, bits, family)
  return list
}

/**
 * Parses like browsers, which convert every notation of an address (decimal, octal, hex, short) into the usual one.
 *
 * @throws OutboundError of kind `refused`
 */
export function checkUrl(text: string, allowed: Allowed): URL {
  if (!URL.canParse(text)) throw new OutboundError('refused', 'This is no URL.')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new OutboundError('refused', 'Only http and https URLs can be called.')
  }
  // They would be written to logs and copied into redirects; use headers for them.
  if (url.username !== '' || url.password !== '') {
    throw new OutboundError('refused', 'A URL must not hold a user name or a password.')
  }
  const host = url.hostname.replaceAll(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !allowed.host(host) && !allowed.address(host)) {
    throw new OutboundError(
      'refused',
      `${host} is not on the public internet. The operator of this server can allow it with TOUCHSTONE_OUTBOUND_ALLOW.`,
    )
  }
  return url
}

/** Resolves a name to all its addresses. */
export type Lookup = (
  name: string,
  options: LookupOptions & { all: true },
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void

const CONNECT_TIMEOUT_MS = 10_000

/**
 * Opens connections to allowed addresses only. It connects to the same addresses that it checked, so a DNS answer that
 * changes between the check and the connection has no effect.
 */
export function guardedConnect(allowed: Allowed, lookup: Lookup = systemLookup): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: checkedLookup(allowed, lookup) })
  return (options, done) => {
    const host = options.hostname.replaceAll(/^\[|\]$/g, '')
    const mayCall = (address: string) => allowed.host(host) || allowed.address(address)
    // An address needs no lookup, so it is checked here.
    if (isIP(host) !== 0 && !mayCall(host)) return done(refused(host), null)
    connect(options, (...answer) => {
      const [error, socket] = answer
      if (error !== null) return done(error, null)
      if (mayCall(socket.remoteAddress ?? '')) return done(null, socket)
      socket.destroy()
      done(refused(host), null)
    })
  }
}

function checkedLookup(allowed: Allowed, lookup: Lookup): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, '')
      // One forbidden address refuses them all, because the system selects the address.
      const isFine = allowed.host(host) || addresses.every(({ address }) => allowed.address(address))
      const [first] = addresses
      if (!isFine || first === undefined) return done(refused(host), '')
      if (options.all === true) return done(null, addresses)
      done(null, first.address, first.family)
    })
  }
}

/**
 * An address of a host that may be connected to, for protocols other than HTTP. Connect to the address itself, so that a DNS
 * answer that changes has no effect.
 *
 * @param allow  as for `allowedBy`
 * @throws OutboundError
 */
export function resolveAllowed(allow: readonly string[], host: string, lookup: Lookup = systemLookup): Promise<string> {
  const allowed = allowedBy(allow)
  return new Promise((resolve, reject) => {
    if (isIP(host) !== 0) {
      if (allowed.host(host) || allowed.address(host)) return resolve(host)
      return reject(refused(host))
    }
    checkedLookup(allowed, lookup)(host, {}, (error, address) => {
      if (error === null) return resolve(String(address))
      if (error instanceof OutboundError) return reject(error)
      const message = `${host} could not be resolved (${error.code ?? error.name}).`
      reject(new OutboundError('failed', message, { cause: error, reason: 'dns' }))
    })
  })
}

function refused(host: string): OutboundError {
  return new OutboundError(
    'refused',
    `${host} is not on the public internet. The operator of this server can allow it with TOUCHSTONE_OUTBOUND_ALLOW.`,
  )
}
