import { isIP } from 'node:net'
import type { Allowed } from './allowed.ts'
import { OutboundError } from './outbound-error.ts'

/**
 * Parses as browsers do, which turns every spelling of an address (decimal, octal, hex, short) into the usual one.
 *
 * @throws OutboundError of kind `refused`
 */
export function checkUrl(text: string, allowed: Allowed): URL {
  if (!URL.canParse(text)) throw new OutboundError('refused', 'This is no URL.')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new OutboundError('refused', 'Only http and https URLs can be called.')
  }
  // They would end in logs and in redirects; headers are the place for them.
  if (url.username !== '' || url.password !== '') {
    throw new OutboundError('refused', 'A URL must not hold a user name or a password.')
  }
  const host = url.hostname.replaceAll(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !allowed.host(host) && !allowed.address(host)) {
    throw new OutboundError(
      'refused',
      `${host} is not on the public internet. Whoever runs this server can allow it with TOUCHSTONE_OUTBOUND_ALLOW.`,
    )
  }
  return url
}
