import { BlockList, isIP } from 'node:net'

/** IPv4 that is nobody's, ours, or everybody's (RFC 6890 and its successors). */
const NOT_PUBLIC_V4: readonly (readonly [net: string, bits: number])[] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT, and what clouds put behind it
  ['127.0.0.0', 8],
  ['169.254.0.0', 16], // link-local: metadata services live here
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

/** What is not public among 2000::/3, the only IPv6 that is handed out; all else (ULA, mapped, NAT64, …) is refused. */
const NOT_PUBLIC_V6: readonly (readonly [net: string, bits: number])[] = [
  ['2001::', 23], // protocols, Teredo among them, which carries an IPv4 address inside
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4 carries an IPv4 address inside
  ['3fff::', 20],
]

const v4 = blockList('ipv4', NOT_PUBLIC_V4)
const v6 = blockList('ipv6', NOT_PUBLIC_V6)
const handedOutV6 = blockList('ipv6', [['2000::', 3]])

/** Whether an address in its printed form belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !v4.check(address, 'ipv4')
  return family === 6 && handedOutV6.check(address, 'ipv6') && !v6.check(address, 'ipv6')
}

function blockList(family: 'ipv4' | 'ipv6', nets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList()
  for (const [net, bits] of nets) list.addSubnet(net, bits, family)
  return list
}
