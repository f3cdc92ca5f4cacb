import { ApiError } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'
import { checkCount, cutMultipart, malformed, type Part, parsePart, readBoundary } from './multipart.ts'
import { bodyChunks, readBody } from './read-body.ts'

export interface StreamMultipartOptions {
  /** Bytes of one part, headers included. */
  readonly maxPartBytes: number
}

/**
 * The parts of a multipart body as they arrive, so that a body may be larger than memory. Bytes of a part count against
 * the process-wide budget until the request ends; whoever lets go of a part earlier gives them back by
 * `request.bodyShare`.
 *
 * @throws ApiError INVALID_REQUEST when the body is malformed or cut off, PAYLOAD_TOO_LARGE for a part over the limit,
 *   RATE_LIMITED when the process holds too much already
 */
export async function* streamMultipart(
  request: FastifyRequest,
  { maxPartBytes }: StreamMultipartOptions,
): AsyncGenerator<Part> {
  const boundary = readBoundary(request.headers['content-type'])
  if (isEncoded(request)) {
    yield* cutMultipart(await readBody(request), boundary)
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

/** Cuts what arrives at the boundary. What is held of a part that is not complete stays in the pieces it came in. */
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
    // The first boundary may stand at the very start, without a line break before it.
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
      // Two bytes after a boundary say whether it is the last.
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
    this.hold(Buffer.from(bytes.subarray(from))) // a copy, so that what was cut off is not kept with it
  }

  /** @throws ApiError when the closing boundary never came */
  end(): void {
    if (this.state === 'preamble') throw malformed('the boundary of its content type does not occur in it')
    if (this.state === 'parts') throw malformed(`it ends inside part ${this.parts + 1}, without a closing boundary`)
  }

  /** Whether a boundary, and what follows it, may be complete with the chunk: only the seam has to be looked at anew. */
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

  /** A boundary is followed by its line's end, and that by the headers. */
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
