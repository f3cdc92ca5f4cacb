import { BlockList, isIP } from 'node:net'
import { isPublicAddress } from './public-address.ts'

/** What may be called: the public internet, and what the operator named. */
export interface Allowed {
  /** The operator named the host itself; wherever it leads. */
  host(name: string): boolean
  address(address: string): boolean
}

/** @param entries  host names, addresses, and networks such as `10.0.0.0/8`, as `parseAllowed` let them through */
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

/** A list with commas between its entries; undefined when one of them is neither host, address nor network. */
export function parseAllowed(text: string): readonly string[] | undefined {
  const entries = text.split(',').map((entry) => entry.trim())
  return entries.every((entry) => parseNet(entry) !== undefined || /^[a-z\d](?:[\w.-]*[a-z\d])?$/i.test(entry))
    ? entries
    : undefined
}

/** As `parseAllowed`, without host names. */
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

const toHostName = (host: string) => host.toLowerCase().replace(/\.$/, '')
