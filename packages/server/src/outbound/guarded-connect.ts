import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { type Allowed, OutboundError } from './allowed-targets.ts'

/** Answers with all addresses of a name. */
export type Lookup = (
  name: string,
  options: LookupOptions & { all: true },
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void

const CONNECT_TIMEOUT_MS = 10_000

/**
 * Opens connections to allowed addresses only. The addresses that are checked are those that are dialled, so an answer
 * of DNS that changes between the check and the connection changes nothing.
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
      // One bad address refuses them all: which of them is dialled is not ours to say.
      const isFine = allowed.host(host) || addresses.every(({ address }) => allowed.address(address))
      const [first] = addresses
      if (!isFine || first === undefined) return done(refused(host), '')
      if (options.all === true) return done(null, addresses)
      done(null, first.address, first.family)
    })
  }
}

function refused(host: string): OutboundError {
  return new OutboundError(
    'refused',
    `${host} is not on the public internet. Whoever runs this server can allow it with TOUCHSTONE_OUTBOUND_ALLOW.`,
  )
}
