import type { Client } from '../client.ts'
import type { CreateFeedbackParams } from '../resources/feedback.ts'

interface QueuedFeedback {
  feedback: CreateFeedbackParams
  onError: (error: unknown) => void
}

const MAX_BATCH = 100
const MAX_CONCURRENT_REQUESTS = 2
/** Above this number `add` waits: memory stays small, and a slow server slows down the experiment. */
const MAX_QUEUED = 1000

/**
 * Sends feedback in the background, so that evaluators do not wait for the network; only the end of the experiment
 * does. Feedback added while requests are running is sent together in the next request.
 */
export class FeedbackQueue {
  readonly #client: Client
  #waiting: QueuedFeedback[] = []
  readonly #sending = new Set<Promise<void>>()

  constructor(client: Client) {
    this.#client = client
  }

  /** Resolves when the queue accepts more; a failed request is reported to `onError`. */
  async add(feedback: CreateFeedbackParams, onError: (error: unknown) => void): Promise<void> {
    this.#waiting.push({ feedback, onError })
    this.#pump()
    while (this.#waiting.length >= MAX_QUEUED) await Promise.race(this.#sending)
  }

  async drain(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending)
  }

  #pump(): void {
    if (this.#waiting.length === 0 || this.#sending.size >= MAX_CONCURRENT_REQUESTS) return
    const batch = this.#waiting.slice(0, MAX_BATCH)
    this.#waiting = this.#waiting.slice(MAX_BATCH)
    const sending: Promise<void> = this.#send(batch).finally(() => {
      this.#sending.delete(sending)
      this.#pump()
    })
    this.#sending.add(sending)
  }

  async #send(batch: readonly QueuedFeedback[]): Promise<void> {
    // Runs are sent before their scores. If the program is killed in between, no score remains on a run that a resumed
    // experiment repeats.
    await this.#client.flush()
    const outcomes = await this.#client.createFeedbackBatch(batch.map(({ feedback }) => feedback))
    for (const [index, { onError }] of batch.entries()) if (outcomes[index]) onError(outcomes[index])
  }
}
