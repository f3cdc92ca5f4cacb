import { TimeSlices } from '../time-slices.ts'
import { type ByteRange, type JsonScan, scanJson } from './scan-json.ts'

/** What JSON.parse reads in one go: up to this, other requests do not notice. */
const AT_ONCE_BYTES = 256 * 1024
/** Levels that are opened to find pieces small enough; what is larger below is parsed in one go. */
const MAX_LEVELS = 6

/**
 * Parses bytes as `JSON.parse` does, large lists and objects piece by piece, so that other requests are answered in
 * between.
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
  // A list is scanned as the only member of an object, which is the form whose elements are found.
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
    // As JSON.parse: `__proto__` is a key like any other.
    Object.defineProperty(value, key, { value: member, writable: true, enumerable: true, configurable: true })
  }
  return value
}

/** Small elements are parsed together, up to a slice's worth of them. */
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
  while (bytes[at]! <= 0x20) at++
  return bytes[at] === 0x5b
}
