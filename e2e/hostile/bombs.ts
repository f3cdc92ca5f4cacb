import { constants, deflateRawSync, gzipSync } from 'node:zlib'

const BLOCK = 128 * 1024

/**
 * A zstd frame without a content size whose blocks each say "the same byte 131,072 times": four bytes on the wire for
 * 128 kB of text (RFC 8878 §3.1.1.2).
 */
export function zstdBomb(bytes: number): Buffer {
  const count = Math.ceil(bytes / BLOCK)
  const frame = Buffer.alloc(6 + count * 4)
  frame.writeUInt32LE(0xfd2fb528, 0)
  frame[4] = 0 // no checksum, no dictionary, no content size
  frame[5] = 0x58 // window of 2 MB
  for (let at = 0; at < count; at++) {
    const isLast = at === count - 1 ? 1 : 0
    frame.writeUIntLE(isLast | (1 << 1) | (BLOCK << 3), 6 + at * 4, 3)
    frame[6 + at * 4 + 3] = 0x61
  }
  return frame
}

/** A zstd frame that holds bytes as they are. */
export function zstdStored(bytes: Buffer): Buffer {
  const pieces: Buffer[] = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x58])]
  for (let at = 0; at < bytes.length || at === 0; at += BLOCK) {
    const piece = bytes.subarray(at, at + BLOCK)
    const header = Buffer.alloc(3)
    header.writeUIntLE((at + BLOCK >= bytes.length ? 1 : 0) | (piece.length << 3), 0, 3)
    pieces.push(header, piece)
  }
  return Buffer.concat(pieces)
}

/**
 * `bytes` of the letter a and more, packed with gzip: about a thousandth of them on the wire. One packed megabyte is repeated,
 * so the checksum at the end would not match; a reader that comes so far has unpacked it all.
 */
export function gzipBomb(bytes: number): Buffer {
  const chunk = Buffer.alloc(1 << 20, 'a')
  const header = gzipSync('').subarray(0, 10)
  // Packed without the mark of the last block, and so that it needs nothing that came before.
  const packed = deflateRawSync(chunk, { level: 9, finishFlush: constants.Z_FULL_FLUSH })
  const end = deflateRawSync('')
  return Buffer.concat([
    header,
    ...Array.from({ length: Math.ceil(bytes / chunk.length) }, () => packed),
    end,
    Buffer.alloc(8),
  ])
}
