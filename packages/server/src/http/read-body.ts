import { ApiError } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'
import { bodyChunks } from './body-chunks.ts'
import { gunzip, inflate, type Sink, unzstd } from './decompress.ts'

/** How much larger than what was sent a body may become: gzip reaches 1,030 times, and only for one repeated byte. */
const MAX_RATIO = 1_000
/** Small bodies may be of any ratio. */
const FREE_BYTES = 1024 * 1024

/**
 * Reads a request's body, with or without Content-Length, and decodes its Content-Encoding (identity, gzip, deflate,
 * zstd). What it holds counts against the process-wide budget until the request ends.
 *
 * @throws ApiError PAYLOAD_TOO_LARGE over the limit of the route, INVALID_REQUEST when cut off or damaged, RATE_LIMITED
 *   when the process holds too much already, REQUEST_TIMEOUT when it comes too slowly
 */
export async function readBody(request: FastifyRequest): Promise<Buffer> {
  const limit = selectLimit(request)
  const received = await collect(request, limit)
  const decode = createDecoder(request.headers['content-encoding'])
  if (decode === undefined) return received
  const { chunks, sink } = gather(request, limit, received.length)
  try {
    await decode(received, sink)
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw new ApiError('INVALID_REQUEST', `The body cannot be decompressed: ${(error as Error).message}`, {
      cause: error,
    })
  }
  return Buffer.concat(chunks)
}

interface Limit {
  readonly maxBytes: number
  /** Whether the operator's setting is the limit, and not the route's own. */
  readonly isSetting: boolean
}

function selectLimit(request: FastifyRequest): Limit {
  const setting = request.server.maxBodyBytes
  const own = request.routeOptions.config.route?.maxBodyBytes ?? 'configured'
  return own === 'configured' || own >= setting
    ? { maxBytes: setting, isSetting: true }
    : { maxBytes: own, isSetting: false }
}

async function collect(request: FastifyRequest, limit: Limit): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > limit.maxBytes) throw tooLarge(limit)
  const { chunks, sink } = gather(request, limit)
  for await (const chunk of bodyChunks(request)) sink(chunk)
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

/** @param packedBytes  how many bytes what arrives was decompressed from; absent when it was not */
function gather(request: FastifyRequest, limit: Limit, packedBytes?: number): { chunks: Buffer[]; sink: Sink } {
  const chunks: Buffer[] = []
  const mostUnpacked = packedBytes === undefined ? Infinity : FREE_BYTES + packedBytes * MAX_RATIO
  let size = 0
  return {
    chunks,
    sink(chunk) {
      size += chunk.length
      if (size > limit.maxBytes) throw tooLarge(limit)
      if (size > mostUnpacked) {
        const sentence = `The body is more than ${MAX_RATIO} times larger than what was sent; send it with less compression.`
        throw new ApiError('PAYLOAD_TOO_LARGE', sentence)
      }
      request.bodyShare.take(chunk.length)
      chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
    },
  }
}

function createDecoder(encoding: string | undefined) {
  switch (encoding?.trim().toLowerCase() || 'identity') {
    case 'identity':
      return undefined
    case 'gzip':
    case 'x-gzip':
      return gunzip
    case 'deflate':
      return inflate
    case 'zstd':
      return unzstd
    default:
      throw new ApiError(
        'INVALID_REQUEST',
        `Content-Encoding ${encoding} is not supported; send gzip, deflate, zstd or none.`,
      )
  }
}

function tooLarge({ maxBytes, isSetting }: Limit): ApiError {
  const whose = isSetting ? 'TOUCHSTONE_MAX_BODY_BYTES changes the limit' : 'this is the limit of this route'
  return new ApiError('PAYLOAD_TOO_LARGE', `The body exceeds ${maxBytes} bytes; ${whose}.`)
}
