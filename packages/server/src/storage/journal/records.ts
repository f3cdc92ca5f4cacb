import { crc32 } from 'node:zlib'

/** One entry of the journal. */
export interface JournalRecord {
  /** Numbers ascend through all segments; some may be missing. */
  readonly number: number
  readonly body: Buffer
}

/**
 * Bytes before a body, little-endian: mark, length of the body, number of the record, checksum of these fields and the
 * body.
 */
const HEADER_BYTES = 20

/** Begins every record. */
const MARK = 0x314a5354

/** A body may not be longer, so that a damaged length is recognized. */
export const MAX_BODY_BYTES = 2 ** 30

/** Returns one record as bytes. */
export function printRecord({ number, body }: JournalRecord): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + body.length)
  bytes.writeUInt32LE(MARK, 0)
  bytes.writeUInt32LE(body.length, 4)
  bytes.writeBigUInt64LE(BigInt(number), 8)
  bytes.writeUInt32LE(checksum(bytes.subarray(0, 16), body), 16)
  body.copy(bytes, HEADER_BYTES)
  return bytes
}

/**
 * Reads the records of a segment up to the first one that is not whole.
 *
 * @returns the records, and the number of bytes that they take; fewer than the segment has when its end is torn
 */
export function readRecords(segment: Buffer): { readonly records: JournalRecord[]; readonly wholeBytes: number } {
  const records: JournalRecord[] = []
  let at = 0
  while (at + HEADER_BYTES <= segment.length) {
    const length = segment.readUInt32LE(at + 4)
    const end = at + HEADER_BYTES + length
    if (segment.readUInt32LE(at) !== MARK || length > MAX_BODY_BYTES || end > segment.length) break
    const body = segment.subarray(at + HEADER_BYTES, end)
    if (segment.readUInt32LE(at + 16) !== checksum(segment.subarray(at, at + 16), body)) break
    records.push({ number: Number(segment.readBigUInt64LE(at + 8)), body })
    at = end
  }
  return { records, wholeBytes: at }
}

const checksum = (header: Buffer, body: Buffer) => crc32(body, crc32(header))
