import type { ByteRange, JsonScan } from '@touchstone/formats/scan-json'
import { TimeSlices } from '../time-slices.ts'
import { scanJson } from './in-slices.ts'

/** Bytes that JSON.parse reads without a noticeable delay of other requests. */
const AT_ONCE_BYTES = 256 * 1024
/** Levels that are searched for pieces of this size; larger pieces below are parsed without a pause. */
const MAX_LEVELS = 6

/**
 * Parses bytes like `JSON.parse`, large lists and objects in pieces, so that other requests are answered in between.
 *
 * @throws JsonProblem, JsonTooComplex
 */
export async function parseInSlices(bytes: Buffer): Promise<unknown> {
  return parseRange(bytes, new TimeSlices(), 0)
}

async function parseRange(bytes: Buffer, slices: TimeSlices, level: number): Promise<unknown> {
  if (level > 0 && (bytes.length <= AT_ONCE_BYTES || level > MAX_LEVELS)) {
    if (slices.isUsedUp()) await slices.yieldToEventLoop()
    return JSON.parse(bytes.toString('utf8'))
  }
  // A list is scanned as the only member of an object, because elements are found for members only.
  const isList = startsWithBracket(bytes)
  const scanned = isList ? Buffer.concat([Buffer.from('{"":'), bytes, Buffer.from('}')]) : bytes
  if (slices.isUsedUp()) await slices.yieldToEventLoop() // copying 100 MB takes longer than a slice
  const scan = await scanJson(scanned, { cutLists: isList })
  if (isList) return parseElements(scanned, scan.members[0]!.elements, slices, level)
  if (scan.kind === 'scalar') return JSON.parse(bytes.toString('utf8'))
  return parseMembers(bytes, scan, slices, level)
}

async function parseMembers(bytes: Buffer, scan: JsonScan, slices: TimeSlices, level: number): Promise<unknown> {
  const value: Record<string, unknown> = {}
  for (const { key, start, end } of scan.members) {
    const member = await parseRange(bytes.subarray(start, end), slices, level + 1)
    // Like JSON.parse: `__proto__` is an ordinary key.
    Object.defineProperty(value, key, { value: member, writable: true, enumerable: true, configurable: true })
  }
  return value
}

/** Small elements are parsed together, up to one slice. */
async function parseElements(
  bytes: Buffer,
  elements: readonly ByteRange[],
  slices: TimeSlices,
  level: number,
): Promise<unknown[]> {
  const values: unknown[] = []
  for (let from = 0; from < elements.length; ) {
    let to = from + 1
    while (to < elements.length && elements[to]!.end - elements[from]!.start <= AT_ONCE_BYTES) to++
    const piece = bytes.subarray(elements[from]!.start, elements[to - 1]!.end)
    if (to - from === 1) values.push(await parseRange(piece, slices, level + 1))
    else {
      if (slices.isUsedUp()) await slices.yieldToEventLoop()
      for (const value of JSON.parse(`[${piece.toString('utf8')}]`) as unknown[]) values.push(value)
    }
    from = to
  }
  return values
}

function startsWithBracket(bytes: Buffer): boolean {
  let at = 0
  while ((bytes[at] ?? 0xff) <= 0x20) at++
  return bytes[at] === 0x5b
}
