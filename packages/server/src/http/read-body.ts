import { ApiError } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'
import { gunzip, inflate, type Sink, unzstd } from './decompress.ts'

export interface ReadBodyOptions {
  /** Bytes after decompression. */
  readonly maxBytes: number
  /** Setting that raises the limit, named by the error. @default TOUCHSTONE_MAX_BODY_BYTES */
  readonly setting?: string
}

/**
 * Reads a request's body, with or without Content-Length, and decodes its Content-Encoding (identity, gzip, deflate,
 * zstd). What it holds counts against the process-wide budget until the request ends.
 *
 * @throws ApiError PAYLOAD_TOO_LARGE over the limit, INVALID_REQUEST when cut off or damaged, RATE_LIMITED when the
 *   process holds too much already
 */
export async function readBody(request: FastifyRequest, options: ReadBodyOptions): Promise<Buffer> {
  const received = await collect(request, options)
  const decode = decoderOf(request.headers['content-encoding'])
  if (decode === undefined) return received
  const { chunks, sink } = gather(request, options)
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

async function collect(request: FastifyRequest, options: ReadBodyOptions): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > options.maxBytes) throw tooLarge(options)
  const { chunks, sink } = gather(request, options)
  try {
    for await (const chunk of request.raw.iterator({ destroyOnReturn: false })) sink(chunk)
  } catch (error) {
    request.raw.resume() // the rest is thrown away: a client that cannot finish sending does not read the answer
    if (error instanceof ApiError) throw error
    throw new ApiError('INVALID_REQUEST', 'The request ended before its body was complete.', { cause: error })
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

function gather(request: FastifyRequest, options: ReadBodyOptions): { chunks: Buffer[]; sink: Sink } {
  const chunks: Buffer[] = []
  let size = 0
  return {
    chunks,
    sink(chunk) {
      size += chunk.length
      if (size > options.maxBytes) throw tooLarge(options)
      request.bodyShare.take(chunk.length)
      chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
    },
  }
}

function decoderOf(encoding: string | undefined) {
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

function tooLarge({ maxBytes, setting = 'TOUCHSTONE_MAX_BODY_BYTES' }: ReadBodyOptions): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `The body exceeds ${maxBytes} bytes; ${setting} changes the limit.`)
}
