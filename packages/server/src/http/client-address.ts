import { isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'

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
