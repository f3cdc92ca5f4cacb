import { BlockList } from 'node:net'
import type { FastifyRequest } from 'fastify'

const near = new BlockList()
near.addSubnet('127.0.0.0', 8)
near.addSubnet('10.0.0.0', 8)
near.addSubnet('172.16.0.0', 12)
near.addSubnet('192.168.0.0', 16)
near.addAddress('::1', 'ipv6')
near.addSubnet('fc00::', 7, 'ipv6')

/**
 * Where a request comes from, to count mistakes by. Behind a proxy of one's own network that is what the proxy says;
 * else all who come through it would share one count, and one of them could shut out the others.
 */
export function addressOf({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): string {
  const peer = ip.replace(/^::ffff:/, '')
  const passedOn = [headers['x-forwarded-for']].flat().at(-1)?.split(',').at(-1)?.trim()
  if (!passedOn || !near.check(peer, peer.includes(':') ? 'ipv6' : 'ipv4')) return peer
  return passedOn.slice(0, 64)
}
