import { aProblem } from '../../models/problems.ts'
import { TimeSlices } from '../../time-slices.ts'
import type { RenderedCall } from './render-call.ts'

export interface RenderLimits {
  /** Bytes of the calls of this process that are rendered and not ended. */
  readonly maxBytes: number
  /** Bytes of the messages of one call, as they are sent. */
  readonly maxCallBytes: number
}

const MB = 1024 * 1024
/** A call is in memory about four times: rendered, as JSON, as bytes, and as the run that records it. */
export const RENDER_LIMITS: RenderLimits = { maxBytes: 128 * MB, maxCallBytes: 32 * MB }

/**
 * Bounds the memory of rendered calls, of all jobs and requests together: large rows times variants times calls at once. One
 * call is rendered at a time, and waits until enough memory is free.
 */
export class RenderBudget {
  #used = 0
  /** Ends when the next call may be rendered. */
  #last: Promise<void> = Promise.resolve()
  #onRelease: (() => void) | undefined
  readonly #slices = new TimeSlices()

  constructor(readonly limits: RenderLimits = RENDER_LIMITS) {}

  /** Bytes that are in use. */
  get used(): number {
    return this.#used
  }

  /**
   * Renders a call and uses it. A call that is too large is a problem, and takes no memory.
   *
   * @throws when the signal is aborted while it waits
   */
  async hold<Result>(
    signal: AbortSignal,
    render: () => RenderedCall,
    use: (rendered: RenderedCall) => Promise<Result>,
  ): Promise<Result> {
    const { rendered, bytes } = await this.#inTurn(async () => {
      signal.throwIfAborted()
      if (this.#slices.isUsedUp()) await this.#slices.yieldToEventLoop()
      const made = limitSize(render(), this.limits.maxCallBytes)
      while (this.#used > 0 && this.#used + made.bytes > this.limits.maxBytes) await this.#waitForRelease(signal)
      this.#used += made.bytes
      return made
    })
    try {
      return await use(rendered)
    } finally {
      this.#used -= bytes
      this.#onRelease?.()
    }
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work)
    this.#last = turn.then(
      () => undefined,
      () => undefined,
    )
    return turn
  }

  async #waitForRelease(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    await new Promise<void>((resolve) => {
      const resume = () => {
        signal.removeEventListener('abort', resume)
        resolve()
      }
      this.#onRelease = resume
      signal.addEventListener('abort', resume, { once: true })
    })
    signal.throwIfAborted()
  }
}

/** The call with its size, or the problem that it is too large. */
export function limitSize(
  rendered: RenderedCall,
  maxBytes: number = RENDER_LIMITS.maxCallBytes,
): { readonly rendered: RenderedCall; readonly bytes: number } {
  if ('problem' in rendered) return { rendered, bytes: 0 }
  const { messages, tools, output_schema, extra_body } = rendered.call
  const bytes = countBytes([messages, tools, output_schema, extra_body])
  if (bytes <= maxBytes) return { rendered, bytes }
  const message = `The messages have ${bytes} bytes with the values of this row; a call has at most ${maxBytes}. Use fewer or shorter values.`
  return { rendered: { problem: aProblem('too_large', message), variable: null }, bytes: 0 }
}

/** Bytes of the texts in a value of JSON; what stands between them counts little. */
function countBytes(value: unknown): number {
  let bytes = 0
  const left = [value]
  while (left.length > 0) {
    const one = left.pop()
    if (typeof one === 'string') bytes += Buffer.byteLength(one)
    else if (typeof one !== 'object' || one === null) bytes += 8
    else for (const [name, member] of Object.entries(one)) left.push(Array.isArray(one) ? '' : name, member)
  }
  return bytes
}
