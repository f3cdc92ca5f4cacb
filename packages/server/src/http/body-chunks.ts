import { ApiError } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'

/** How slowly a body may arrive. Only time that the server spends waiting for the sender counts. */
export interface BodyPace {
  /** Milliseconds that any body may take, whatever its size. */
  readonly graceMs: number
  /** Bytes that have to arrive per second of waiting beyond that, on average. */
  readonly minBytesPerSecond: number
}

/**
 * The bytes of a request's body as they arrive. Whoever stops early leaves the rest unread.
 *
 * @throws ApiError INVALID_REQUEST when the sender hangs up, REQUEST_TIMEOUT when the body comes too slowly
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
    // What is left is thrown away: a client that cannot finish sending does not read the answer. It flows once the
    // iterator has let go of the stream, which is not awaited: a sender that is too slow would be waited for here.
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

/** Node runs a timer of more at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

function tooSlow({ graceMs, minBytesPerSecond }: BodyPace): ApiError {
  const sentence = `The body arrives too slowly: after ${graceMs / 1000} s it has to come at ${minBytesPerSecond} bytes per second on average.`
  return new ApiError('REQUEST_TIMEOUT', sentence)
}

function cutOff(cause: unknown): ApiError {
  return new ApiError('INVALID_REQUEST', 'The request ended before its body was complete.', { cause })
}
