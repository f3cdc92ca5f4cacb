import type { KVMap } from '../../schemas.ts'
import { runInContext } from '../../tracing/context.ts'
import type { Recording } from '../../tracing/traceable/recording.ts'
import { getBoundMember, isReadableStream, makeIterable } from '../../tracing/traceable/streams.ts'
import type { AnyFunction } from '../../tracing/traceable/types.ts'
import { mergeParts } from './messages.ts'

/** How long nothing may happen after an error, or after a reader stopped, until the call counts as ended. */
const QUIET_MS = 1000

interface FinishingClient {
  trackFinalisation?<T>(work: Promise<T>): Promise<T>
}

/**
 * Ends the run of a call that returns a stream at once. The run ends with the callback that the AI SDK calls at the end. It
 * does not call one after some errors, and when a reader stops early; then the run ends as soon as nothing happens any more.
 */
export class StreamedCall {
  readonly #recording: Recording
  /** Of the current step, for a run that ends without its result. */
  #parts: KVMap[] = []
  /** Calls of models that may not have ended. Tools end by themselves, also without a reader. */
  #open: Recording[] = []
  #activity = 0
  #failure: { readonly error: unknown } | undefined
  #waiting = false

  constructor(recording: Recording) {
    this.#recording = recording
  }

  onStart(recording: Recording): void {
    this.#activity++
    if (recording.runTree.run_type !== 'llm') return
    this.#open = [...this.#open.filter(({ hasEnded }) => !hasEnded), recording]
  }

  onPart(part: KVMap): void {
    this.#activity++
    if (part.type === 'stream-start') this.#parts = []
    // One is enough for the recording to ask for the outputs so far.
    if (this.#parts.length === 0) this.#recording.addChunk(part)
    this.#parts.push(part)
  }

  /** What the current step answered so far. */
  readOutputs(): KVMap {
    return { outputs: mergeParts(this.#parts) }
  }

  /** The parameters with callbacks that end the run, and that call those of the user. */
  addCallbacks(params: KVMap): KVMap {
    const { onEnd = params.onFinish, onError, onAbort } = params as Record<string, AnyFunction | undefined>
    // Version 7 prefers this one to the older name, and agents have it in their settings.
    const end = 'onEnd' in params ? 'onEnd' : 'onFinish'
    return {
      ...params,
      [end]: async (...args: [event: KVMap]) => {
        const delivered = this.#finish(args[0])
        try {
          await onEnd?.(...args)
        } finally {
          await delivered
        }
      },
      onError: (...args: [event: { readonly error: unknown }]) => {
        this.#failure ??= { error: args[0]?.error }
        this.#endWhenQuiet()
        // What the AI SDK does without a callback.
        return onError ? onError(...args) : console.error(args[0]?.error)
      },
      onAbort: (...args: unknown[]) => {
        this.#recording.cancel()
        return onAbort?.(...args)
      },
    }
  }

  /** The result with streams that notice when their reader stops. */
  watch<Result extends object>(result: Result): Result {
    return new Proxy(result, {
      get: (target, key) => {
        const value = getBoundMember(target, key)
        return typeof value === 'object' && value !== null && isReadableStream(value) ? this.#watchStream(value) : value
      },
    })
  }

  fail(error: unknown): void {
    this.#recording.fail(error)
  }

  #finish(event: KVMap): Promise<void> | undefined {
    const failure = this.#failure ?? (event?.error === undefined ? undefined : { error: event.error })
    return failure ? this.#recording.fail(failure.error) : this.#recording.succeed({ outputs: event })
  }

  #watchStream(source: ReadableStream): ReadableStream {
    const reader = source.getReader()
    const watched = new ReadableStream(
      {
        pull: async (controller) => {
          const { done, value } = await runInContext(this.#recording.runTree, () => reader.read())
          this.#activity++
          if (done) controller.close()
          else controller.enqueue(value)
        },
        cancel: (reason) => {
          this.#endWhenQuiet()
          // The promise of one branch of a stream waits for the other one.
          reader.cancel(reason).catch(() => undefined)
        },
      },
      { highWaterMark: 0 },
    )
    return Symbol.asyncIterator in watched ? watched : makeIterable(watched)
  }

  #endWhenQuiet(): void {
    if (this.#waiting) return
    this.#waiting = true
    const client = this.#recording.runTree.client as FinishingClient
    const ended = this.#waitUntilQuiet().then(() => {
      for (const recording of this.#open) void recording.cancel()
      return this.#failure ? this.#recording.fail(this.#failure.error) : this.#recording.cancel()
    })
    void client.trackFinalisation?.(ended)
  }

  async #waitUntilQuiet(): Promise<void> {
    for (let before = -1; before !== this.#activity && !this.#recording.hasEnded; ) {
      before = this.#activity
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
    }
  }
}
