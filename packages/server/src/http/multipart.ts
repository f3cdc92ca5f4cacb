import { ApiError } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'
import { bodyChunks, readBody } from './read-body.ts'

export interface StreamMultipartOptions {
  /** Bytes of one part, headers included. */
  readonly maxPartBytes: number
}

/**
 * Yields the parts of a multipart body as they arrive, so that a body may be larger than memory. Bytes of a part count
 * against the process-wide budget until the request ends, or until the reader returns them with `request.bodyShare`.
 *
 * @throws ApiError INVALID_REQUEST when the body is malformed or incomplete, PAYLOAD_TOO_LARGE for a part over the
 * limit,
 *   RATE_LIMITED when the process holds too much already
 */
export async function* streamMultipart(
  request: FastifyRequest,
  { maxPartBytes }: StreamMultipartOptions,
): AsyncGenerator<Part> {
  const boundary = readBoundary(request.headers['content-type'])
  if (isEncoded(request)) {
    yield* splitMultipart(await readBody(request), boundary)
    return
  }
  const cutter = new Cutter(boundary, maxPartBytes)
  for await (const chunk of bodyChunks(request)) {
    request.bodyShare.take(chunk.length)
    yield* cutter.take(chunk)
  }
  cutter.end()
}

function isEncoded(request: FastifyRequest): boolean {
  return (request.headers['content-encoding']?.trim().toLowerCase() || 'identity') !== 'identity'
}

/** Splits arriving bytes at the boundary. An incomplete part stays in the pieces in which it arrived. */
class Cutter {
  private readonly delimiter: Buffer
  private held: Buffer[]
  private heldBytes: number
  private parts = 0
  private state: 'preamble' | 'parts' | 'over' = 'preamble'

  constructor(
    boundary: string,
    private readonly maxPartBytes: number,
  ) {
    this.delimiter = Buffer.from(`\r\n--${boundary}`)
    // The first boundary may be at the very start, without a line break before it.
    this.held = [Buffer.from('\r\n')]
    this.heldBytes = 2
  }

  *take(chunk: Buffer): Generator<Part> {
    if (this.state === 'over') return
    if (!this.mayComplete(chunk)) {
      this.hold(chunk)
      return
    }
    const bytes = Buffer.concat([...this.held, chunk])
    let from = 0
    for (;;) {
      const at = bytes.indexOf(this.delimiter, from)
      // The two bytes after a boundary tell whether it is the last one.
      if (at === -1 || at + this.delimiter.length + 2 > bytes.length) break
      if (this.state === 'parts') yield this.cut(bytes.subarray(from, at))
      this.state = 'parts'
      from = at + this.delimiter.length
      if (bytes[from] === 0x2d && bytes[from + 1] === 0x2d) {
        this.state = 'over'
        this.held = []
        return
      }
    }
    this.held = []
    this.heldBytes = 0
    this.hold(Buffer.from(bytes.subarray(from))) // a copy, so that the rest of the chunk can be freed
  }

  /** @throws ApiError without a closing boundary */
  end(): void {
    if (this.state === 'preamble') throw malformed('the boundary of its content type does not occur in it')
    if (this.state === 'parts') throw malformed(`it ends inside part ${this.parts + 1}, without a closing boundary`)
  }

  /**
   * Whether a boundary and the bytes after it may be complete with the chunk; only the end of the held bytes is
   * searched.
   */
  private mayComplete(chunk: Buffer): boolean {
    const overlap = this.delimiter.length + 1
    const seam: Buffer[] = []
    let bytes = 0
    for (let at = this.held.length - 1; at >= 0 && bytes < overlap; at--) {
      seam.unshift(this.held[at]!)
      bytes += this.held[at]!.length
    }
    const tail = Buffer.concat(seam)
    return Buffer.concat([tail.subarray(Math.max(0, tail.length - overlap)), chunk]).includes(this.delimiter)
  }

  /** A boundary is followed by the end of its line and the headers. */
  private cut(bytes: Buffer): Part {
    const start = bytes.indexOf('\r\n')
    if (start === -1) throw malformed('it ends after a boundary')
    checkCount(++this.parts)
    return parsePart(bytes.subarray(start + 2), this.parts)
  }

  private hold(bytes: Buffer): void {
    this.held.push(bytes)
    this.heldBytes += bytes.length
    if (this.heldBytes <= this.maxPartBytes) return
    throw new ApiError('PAYLOAD_TOO_LARGE', `Part ${this.parts + 1} of the body exceeds ${this.maxPartBytes} bytes.`)
  }
}

/** One part of a multipart body; its bytes are a view into the body, not a copy. */
export interface Part {
  readonly name: string
  /** Media type as received, without the `length` parameter that the clients add; '' when the part has none. */
  readonly contentType: string
  /** The client's file name; undefined for a plain field. */
  readonly fileName: string | undefined
  readonly bytes: Buffer
}

const CRLF = Buffer.from('\r\n')
const HEADER_END = Buffer.from('\r\n\r\n')
const MAX_HEADER_BYTES = 16 * 1024

/** Returns the boundary of a `multipart/form-data` content type. */
export function readBoundary(contentType: string | undefined): string {
  const match = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(
    contentType ?? '',
  )
  const boundary = match?.[1] ?? match?.[2]
  if (boundary !== undefined) return boundary
  throw new ApiError(
    'INVALID_REQUEST',
    `Expected a multipart/form-data body with a boundary, got content type ${JSON.stringify(contentType ?? null)}.`,
  )
}

/**
 * Splits a multipart body into its parts, one at a time. The whole body is in memory, bounded by the body limit:
 * searching for the boundary takes a few microseconds per part, while a streaming parser makes a stream of each part.
 *
 * @throws ApiError INVALID_REQUEST without a boundary or when the body ends inside a part, PAYLOAD_TOO_LARGE for more
 * than
 *   20,000 parts
 */
export function* splitMultipart(body: Buffer, boundary: string): Generator<Part> {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const opening = delimiter.subarray(2)
  // The first boundary may be at the very start, without a line break before it.
  let at = body.subarray(0, opening.length).equals(opening) ? opening.length : afterNext(body, delimiter, 0)
  for (let number = 1; !isClosing(body, at); number++) {
    checkCount(number)
    const start = endOfLine(body, at)
    const next = body.indexOf(delimiter, start - CRLF.length)
    if (next === -1) throw malformed(`it ends inside part ${number}, without a closing boundary`)
    yield parsePart(body.subarray(start, Math.max(next, start)), number)
    at = next + delimiter.length
  }
}

/** Splits a multipart body into all of its parts. @throws as `splitMultipart` */
export function parseMultipart(body: Buffer, boundary: string): Part[] {
  return [...splitMultipart(body, boundary)]
}

/** Clients send a hundred runs of up to seven parts, and their attachments. */
const MAX_PARTS = 20_000

/** @throws ApiError PAYLOAD_TOO_LARGE when a body has too many parts */
function checkCount(number: number): void {
  if (number <= MAX_PARTS) return
  throw new ApiError('PAYLOAD_TOO_LARGE', `The body has more than ${MAX_PARTS} parts; send them in several requests.`)
}

function afterNext(body: Buffer, delimiter: Buffer, from: number): number {
  const found = body.indexOf(delimiter, from)
  if (found === -1) throw malformed('the boundary of its content type does not occur in it')
  return found + delimiter.length
}

function isClosing(body: Buffer, at: number): boolean {
  return body[at] === 0x2d && body[at + 1] === 0x2d
}

function endOfLine(body: Buffer, at: number): number {
  const end = body.indexOf(CRLF, at)
  if (end === -1) throw malformed('it ends after a boundary')
  return end + CRLF.length
}

/** @param bytes  from the first header to the end of the content */
function parsePart(bytes: Buffer, number: number): Part {
  const startsWithBody = bytes.subarray(0, 2).equals(CRLF)
  const headerEnd = startsWithBody ? 0 : bytes.subarray(0, MAX_HEADER_BYTES).indexOf(HEADER_END)
  if (headerEnd === -1) throw malformed(`part ${number} has no end of headers within ${MAX_HEADER_BYTES} bytes`)
  const headers = bytes.toString('utf8', 0, headerEnd)
  const name = readParameter(headers, 'name')
  if (name === undefined) throw malformed(`part ${number} has no name`)
  if (/^content-encoding:/im.test(headers))
    throw malformed(`part ${name} has a Content-Encoding; encode the whole body instead`)
  const payload = bytes.subarray(startsWithBody ? CRLF.length : headerEnd + HEADER_END.length)
  return { name, contentType: readMediaType(headers), fileName: readFileName(headers), bytes: payload }
}

/** Returns a parameter of the Content-Disposition. */
function readParameter(headers: string, parameter: keyof typeof PARAMETERS): string | undefined {
  const match = PARAMETERS[parameter].exec(headers)
  return match?.[1]?.replace(/\\(.)/g, '$1').replaceAll('%22', '"') ?? match?.[2]
}

/** Older Python clients write a name beyond ASCII in the form of RFC 5987. */
function readFileName(headers: string): string | undefined {
  const encoded = /^content-disposition:[^\r\n]*?[;\s]filename\*=utf-8''([^;\s]+)/im.exec(headers)?.[1]
  if (encoded === undefined) return readParameter(headers, 'filename')
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}

const PARAMETERS = {
  name: /^content-disposition:[^\r\n]*?[;\s]name=(?:"((?:[^"\\\r\n]|\\.)*)"|([^\s;]+))/im,
  filename: /^content-disposition:[^\r\n]*?[;\s]filename=(?:"((?:[^"\\\r\n]|\\.)*)"|([^\s;]+))/im,
}

function readMediaType(headers: string): string {
  const value = /^content-type:[ \t]*([^\r\n]*)/im.exec(headers)?.[1] ?? ''
  return value.replace(/(?<!\s)\s*;\s*length=\d+/i, '').trim()
}

function malformed(why: string): ApiError {
  return new ApiError('INVALID_REQUEST', `The multipart body is malformed: ${why}.`)
}
