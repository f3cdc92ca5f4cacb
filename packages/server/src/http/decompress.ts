import { once } from 'node:events'
import * as zlib from 'node:zlib'
import { Decompress } from 'fzstd'
import { TimeSlices } from '../time-slices.ts'

/** Receives decoded bytes in pieces; an error that it throws stops the work. */
export type Sink = (chunk: Uint8Array) => void

/** Decodes a gzip body, also of several members. @throws Error when it is incomplete or damaged */
export const gunzip = (bytes: Buffer, sink: Sink) => pump(zlib.createGunzip(), bytes, sink)

/** Decodes a deflate body, with or without its zlib header. @throws Error when it is incomplete or damaged */
export function inflate(bytes: Buffer, sink: Sink): Promise<void> {
  const hasHeader = bytes.length > 1 && (bytes[0]! & 0x0f) === 8 && ((bytes[0]! << 8) | bytes[1]!) % 31 === 0
  return pump(hasHeader ? zlib.createInflate() : zlib.createInflateRaw(), bytes, sink)
}

/**
 * Decodes a Zstandard body of any number of frames, with or without content sizes.
 *
 * @throws Error when it is incomplete or damaged, or needs more memory than the data of a sender does
 */
export async function unzstd(bytes: Buffer, sink: Sink): Promise<void> {
  const slices = new TimeSlices()
  for (const frame of zstdFrames(bytes)) await decodeFrame(bytes, frame, sink, slices)
}

type CreateZstd = (options: { params: Record<number, number> }) => zlib.Gunzip
const native = zlib as { createZstdDecompress?: CreateZstd; constants: Record<string, number> }

/** Node has decoded Zstandard since 22.15, outside the main thread. */
function decodeFrame(bytes: Buffer, frame: ZstdFrame, sink: Sink, slices: TimeSlices): Promise<void> {
  const { createZstdDecompress, constants } = native
  if (createZstdDecompress === undefined) return decodeInSlices(bytes, frame, sink, slices)
  const params = { [constants.ZSTD_d_windowLogMax!]: 27 }
  return pump(createZstdDecompress({ params }), bytes.subarray(frame.start, frame.end), sink)
}

/** Blocks that are decoded without a pause: at most 2 MB. */
const BLOCKS_PER_STEP = 16

async function decodeInSlices(bytes: Buffer, frame: ZstdFrame, sink: Sink, slices: TimeSlices): Promise<void> {
  const decoder = new Decompress((chunk) => sink(chunk))
  let from = frame.start
  for (let block = BLOCKS_PER_STEP; block < frame.blocks.length; block += BLOCKS_PER_STEP) {
    const to = frame.blocks[block] ?? frame.end
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

/** One frame of a Zstandard stream. */
interface ZstdFrame {
  readonly start: number
  readonly end: number
  /** Offsets of its blocks, for decoders that are fed a few blocks at a time. */
  readonly blocks: readonly number[]
}

class ZstdProblem extends Error {}

/** Senders use windows up to 8 MB (128 MB in long mode); a larger window is an attempt to exhaust memory. */
const MAX_WINDOW_BYTES = 128 * 1024 * 1024
const MAGIC = 0xfd2fb528
/** Senders write one frame per body or per flush. Each needs a decoder, so hundreds of thousands would take minutes. */
const MAX_FRAMES = 1_000
/** A block holds up to 128 kB; senders that flush after each part of a body write smaller ones. */
const MAX_BLOCKS = 100_000

/**
 * Finds the frames of a Zstandard stream without decoding it; skippable frames are left out.
 *
 * @throws ZstdProblem when a frame is incomplete, invalid, needs a dictionary or a window over 128 MB,
 *   and for more than 1,000 frames or 100,000 blocks
 * @see RFC 8878 §3.1
 */
function zstdFrames(bytes: Buffer): ZstdFrame[] {
  const frames: ZstdFrame[] = []
  let at = 0
  let blocks = 0
  for (let count = 0; at < bytes.length; count++) {
    if (count === MAX_FRAMES) throw new ZstdProblem(`it has more than ${MAX_FRAMES} frames`)
    const magic = number(bytes, at, 4)
    if (magic === MAGIC) {
      const frame = readFrame(bytes, at, MAX_BLOCKS - blocks)
      blocks += frame.blocks.length
      frames.push(frame)
      at = frame.end
    } else if ((magic & 0xfffffff0) >>> 0 === 0x184d2a50) {
      at += 8 + number(bytes, at + 4, 4)
      if (at > bytes.length) throw new ZstdProblem('the body ends within a frame')
    } else throw new ZstdProblem('the body is not a Zstandard stream')
  }
  return frames
}

function readFrame(bytes: Buffer, start: number, maxBlocks: number): ZstdFrame {
  const descriptor = number(bytes, start + 4, 1)
  const isSingleSegment = (descriptor & 0x20) !== 0
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]!
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6]!
  let at = start + 5
  if (!isSingleSegment) checkWindow(toWindowBytes(number(bytes, at++, 1)))
  if (number(bytes, at, dictionaryBytes) !== 0) throw new ZstdProblem('dictionaries are not supported')
  at += dictionaryBytes
  if (isSingleSegment) checkWindow(number(bytes, at, sizeBytes))
  at += sizeBytes
  const blocks: number[] = []
  for (let isLast = false; !isLast; ) {
    if (blocks.length === maxBlocks) throw new ZstdProblem(`it has more than ${MAX_BLOCKS} blocks`)
    blocks.push(at)
    const header = number(bytes, at, 3)
    isLast = (header & 1) === 1
    at += 3 + (((header >> 1) & 3) === 1 ? 1 : header >> 3)
  }
  const end = at + ((descriptor & 4) === 0 ? 0 : 4)
  if (end > bytes.length) throw new ZstdProblem('the body ends within a frame')
  return { start, end, blocks }
}

function toWindowBytes(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3))
  return base + (base / 8) * (descriptor & 7)
}

function checkWindow(bytes: number): void {
  if (bytes > MAX_WINDOW_BYTES) throw new ZstdProblem('a frame needs a window over 128 MB')
}

/** Little-endian number of 0 to 8 bytes. */
function number(bytes: Buffer, at: number, length: number): number {
  if (at + length > bytes.length) throw new ZstdProblem('the body ends within a frame')
  let value = 0
  for (let index = length - 1; index >= 0; index--) value = value * 256 + bytes[at + index]!
  return value
}
