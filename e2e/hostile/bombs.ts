import { createGzip } from 'node:zlib'

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

/** `bytes` of the letter a, packed with gzip: about a thousandth of them on the wire. */
export async function gzipBomb(bytes: number): Promise<Buffer> {
  const gzip = createGzip({ level: 9 })
  const chunk = Buffer.alloc(1 << 20, 'a')
  const packed: Buffer[] = []
  gzip.on('data', (piece: Buffer) => packed.push(piece))
  for (let sent = 0; sent < bytes; sent += chunk.length) {
    if (!gzip.write(chunk)) await new Promise((resolve) => gzip.once('drain', resolve))
  }
  await new Promise<void>((resolve) => gzip.end(resolve))
  return Buffer.concat(packed)
}
