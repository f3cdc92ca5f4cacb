import { once } from 'node:events'
import * as zlib from 'node:zlib'
import { Decompress } from 'fzstd'
import { TimeSlices } from '../time-slices.ts'
import { type ZstdFrame, zstdFrames } from './zstd-frames.ts'

/** Receives decoded bytes as they come; throws to stop the work. */
export type Sink = (chunk: Uint8Array) => void

/** Decodes a gzip body, also of several members. @throws Error when it is cut off or damaged */
export const gunzip = (bytes: Buffer, sink: Sink) => pump(zlib.createGunzip(), bytes, sink)

/** Decodes a deflate body, with or without its zlib header. @throws Error when it is cut off or damaged */
export function inflate(bytes: Buffer, sink: Sink): Promise<void> {
  const hasHeader = bytes.length > 1 && (bytes[0]! & 0x0f) === 8 && ((bytes[0]! << 8) | bytes[1]!) % 31 === 0
  return pump(hasHeader ? zlib.createInflate() : zlib.createInflateRaw(), bytes, sink)
}

/**
 * Decodes a Zstandard body of any number of frames, with or without content sizes.
 *
 * @throws Error when it is cut off or damaged, or wants more memory than a sender needs
 */
export async function unzstd(bytes: Buffer, sink: Sink): Promise<void> {
  const slices = new TimeSlices()
  for (const frame of zstdFrames(bytes)) await decodeFrame(bytes, frame, sink, slices)
}

type CreateZstd = (options: { params: Record<number, number> }) => zlib.Gunzip
const native = zlib as { createZstdDecompress?: CreateZstd; constants: Record<string, number> }

/** Node itself decodes Zstandard since 22.15, off the main thread. */
function decodeFrame(bytes: Buffer, frame: ZstdFrame, sink: Sink, slices: TimeSlices): Promise<void> {
  const { createZstdDecompress, constants } = native
  if (createZstdDecompress === undefined) return decodeInSlices(bytes, frame, sink, slices)
  const params = { [constants.ZSTD_d_windowLogMax!]: 27 }
  return pump(createZstdDecompress({ params }), bytes.subarray(frame.start, frame.end), sink)
}

/** Blocks that are decoded in one go: at most 2 MB. */
const BLOCKS_PER_STEP = 16

async function decodeInSlices(bytes: Buffer, frame: ZstdFrame, sink: Sink, slices: TimeSlices): Promise<void> {
  const decoder = new Decompress((chunk) => sink(chunk))
  let from = frame.start
  for (let block = BLOCKS_PER_STEP; block < frame.blocks.length; block += BLOCKS_PER_STEP) {
    const to = frame.blocks[block]!
    decoder.push(bytes.subarray(from, to))
    from = to
    if (slices.isUsedUp()) await slices.yieldToEventLoop()
  }
  decoder.push(bytes.subarray(from, frame.end), true)
  if (slices.isUsedUp()) await slices.yieldToEventLoop()
}

async function pump(decoder: zlib.Gunzip | zlib.Inflate | zlib.InflateRaw, bytes: Buffer, sink: Sink): Promise<void> {
  const ended = once(decoder, 'end')
  decoder.on('data', (chunk: Buffer) => {
    try {
      sink(chunk)
    } catch (error) {
      decoder.destroy(error as Error)
    }
  })
  decoder.end(bytes)
  await ended
}
