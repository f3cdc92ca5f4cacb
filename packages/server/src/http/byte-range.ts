import type { ByteRange } from '../storage/blobs/port.ts'

/**
 * Parses a `Range` header with one range of bytes. Other headers are ignored, as RFC 9110, section 14.2 allows: several
 * ranges, other units, and what is not well formed.
 */
export function parseByteRange(header: string | undefined): ByteRange | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.replaceAll(/\s/g, '') ?? '')
  if (match === null) return undefined
  const [, first = '', last = ''] = match
  if (first === '') return last === '' ? undefined : { lastBytes: Number(last) }
  if (last === '') return { first: Number(first) }
  return Number(last) < Number(first) ? undefined : { first: Number(first), last: Number(last) }
}
