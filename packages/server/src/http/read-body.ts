import { isUtf8 } from 'node:buffer'
import { setImmediate } from 'node:timers/promises'
import { ApiError } from '@touchstone/contract'
import { type RepairedJson, repairNumbers } from '@touchstone/formats/repair-numbers'
import { findJsonProblem, JsonProblem, JsonTooComplex } from '@touchstone/formats/scan-json'
import type { FastifyRequest } from 'fastify'
import { repairNumbersInSlices } from '../json/in-slices.ts'
import { parseInSlices } from '../json/parse-in-slices.ts'
import { gunzip, inflate, type Sink, unzstd } from './decompress.ts'

/** Maximum ratio of decompressed to received bytes: gzip reaches 1,030, but only for one repeated byte. */
const MAX_RATIO = 1_000
/** Small bodies may have any ratio. */
const FREE_BYTES = 1024 * 1024

/**
 * Reads the body of a request, with or without Content-Length, and decodes its Content-Encoding (identity, gzip,
 * deflate, zstd). Its bytes count against the process-wide budget until the request ends.
 *
 * @throws ApiError PAYLOAD_TOO_LARGE over the limit of the route, INVALID_REQUEST when incomplete or damaged,
 * RATE_LIMITED
 *   when the process holds too much already, REQUEST_TIMEOUT when it arrives too slowly
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
  /** Whether the limit is the operator's setting and not that of the route. */
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

/** @param packedBytes  number of received bytes before decompression; absent for an uncompressed body */
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

/** Minimum speed of a body. Only the time during which the server waits for the sender counts. */
export interface BodyPace {
  /** Milliseconds that every body may take, regardless of its size. */
  readonly graceMs: number
  /** Average bytes per second of waiting after that. */
  readonly minBytesPerSecond: number
}

/**
 * Yields the bytes of a request's body as they arrive. A reader that stops early leaves the rest unread.
 *
 * @throws ApiError INVALID_REQUEST when the sender closes the connection, REQUEST_TIMEOUT when the body arrives too
 * slowly
 */
export async function* bodyChunks(request: FastifyRequest): AsyncGenerator<Buffer> {
  const chunks = request.raw.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]()
  const pace = new PaceCheck(request.server.bodyPace)
  try {
    for (;;) {
      const next = await pace.wait(chunks.next() as Promise<IteratorResult<Buffer>>)
      if (next.done) return
      yield next.value
    }
  } finally {
    // The rest is discarded: a client that cannot finish sending does not read the answer. It flows when the iterator
    // has released the stream. That is not awaited: it would wait for a sender that is too slow.
    const discard = () => request.raw.resume()
    Promise.resolve(chunks.return?.()).then(discard, discard)
  }
}

class PaceCheck {
  private waitedMs = 0
  private bytes = 0

  constructor(private readonly pace: BodyPace) {}

  async wait(next: Promise<IteratorResult<Buffer>>): Promise<IteratorResult<Buffer>> {
    const since = performance.now()
    const chunk = await this.inTime(next)
    this.waitedMs += performance.now() - since
    if (!chunk.done) this.bytes += chunk.value.length
    return chunk
  }

  private inTime(next: Promise<IteratorResult<Buffer>>): Promise<IteratorResult<Buffer>> {
    const { graceMs, minBytesPerSecond } = this.pace
    const leftMs = graceMs + (this.bytes / minBytesPerSecond) * 1000 - this.waitedMs
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(tooSlow(this.pace)), Math.max(0, Math.min(leftMs, MAX_TIMER_MS)))
      next.then(resolve, (cause: unknown) => reject(cutOff(cause))).finally(() => clearTimeout(timer))
    })
  }
}

/** Node fires a longer timer immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1

function tooSlow({ graceMs, minBytesPerSecond }: BodyPace): ApiError {
  const sentence = `The body arrives too slowly: after ${graceMs / 1000} s it has to come at ${minBytesPerSecond} bytes per second on average.`
  return new ApiError('REQUEST_TIMEOUT', sentence)
}

function cutOff(cause: unknown): ApiError {
  return new ApiError('INVALID_REQUEST', 'The request ended before its body was complete.', { cause })
}

/** Bodies up to this many bytes are parsed without a pause. */
const SMALL_BYTES = 256 * 1024

/**
 * Reads a body as JSON regardless of its content type: some clients label it text/plain. An empty body is `undefined`.
 *
 * @throws ApiError INVALID_REQUEST with the position of the first mistake, PAYLOAD_TOO_LARGE over the route's limit
 */
export async function readJson(request: FastifyRequest): Promise<JsonBody> {
  const bytes = await readBody(request)
  if (!isUtf8(bytes)) throw new ApiError('INVALID_REQUEST', 'The body is not valid UTF-8.')
  const text = withoutMark(bytes.toString('utf8'))
  if (!/\S/.test(text)) return { text: '', value: undefined, repaired: [] }
  if (bytes.length <= SMALL_BYTES) return parseSmall(text)
  await setImmediate() // up to 100 MB were checked and decoded
  return parseLarge(bytes, text)
}

export interface JsonBody {
  readonly text: string
  readonly value: unknown
  /** Fields with NaN or Infinity, which are null in `text` and `value`. */
  readonly repaired: readonly string[]
}

/** A byte order mark is not part of the text. */
const withoutMark = (text: string) => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)

function parseSmall(text: string): JsonBody {
  try {
    return { text, value: JSON.parse(text) as unknown, repaired: [] }
  } catch (error) {
    const repaired = parseRepaired(repairNumbers(text))
    if (repaired !== undefined) return repaired
    const position = findJsonProblem(text) ?? text.length
    throw new ApiError('INVALID_REQUEST', `The body is not valid JSON at position ${position}.`, { cause: error })
  }
}

function parseRepaired(repaired: RepairedJson | undefined): JsonBody | undefined {
  if (repaired === undefined) return undefined
  try {
    return { text: repaired.text, value: JSON.parse(repaired.text) as unknown, repaired: repaired.fields }
  } catch {
    return undefined // the caller reports where the text as sent stops being JSON
  }
}

async function parseLarge(bytes: Buffer, text: string): Promise<JsonBody> {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  try {
    return { text, value: await parseInSlices(hasMark ? bytes.subarray(3) : bytes), repaired: [] }
  } catch (error) {
    if (error instanceof JsonProblem) {
      const repaired = await parseLargeRepaired(text)
      if (repaired !== undefined) return repaired
      throw new ApiError('INVALID_REQUEST', `The body is not valid JSON at byte ${error.position}.`, { cause: error })
    }
    if (error instanceof JsonTooComplex) {
      throw new ApiError('INVALID_REQUEST', `The body cannot be read: ${error.message}.`, { cause: error })
    }
    throw error
  }
}

async function parseLargeRepaired(text: string): Promise<JsonBody | undefined> {
  const repaired = await repairNumbersInSlices(text)
  if (repaired === undefined) return undefined
  try {
    const value = await parseInSlices(Buffer.from(repaired.text))
    return { text: repaired.text, value, repaired: repaired.fields }
  } catch (error) {
    if (error instanceof JsonProblem || error instanceof JsonTooComplex) return undefined
    throw error
  }
}
