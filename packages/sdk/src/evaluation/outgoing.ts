import type { Client } from '../client.ts'
import type { CreateFeedbackParams } from '../resources/feedback.ts'

interface Item {
  feedback: CreateFeedbackParams
  onError: (error: unknown) => void
}

const MAX_BATCH = 100
const REQUESTS_AT_A_TIME = 2
/** Beyond so many, whoever adds waits: memory stays small, and a slow server slows the experiment instead. */
const MAX_WAITING = 1000

/**
 * Feedback on its way. Evaluators do not wait for it, so that a slow network costs the experiment no time; its end does.
 * What gathers while requests are under way travels together in the next.
 */
export class Outgoing {
  readonly #client: Client
  #waiting: Item[] = []
  readonly #sending = new Set<Promise<void>>()

  constructor(client: Client) {
    this.#client = client
  }

  /** @returns when there is room for more; a failure is told to `onError` */
  async add(feedback: CreateFeedbackParams, onError: (error: unknown) => void): Promise<void> {
    this.#waiting.push({ feedback, onError })
    this.#pump()
    while (this.#waiting.length >= MAX_WAITING) await Promise.race(this.#sending)
  }

  async drain(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending)
  }

  #pump(): void {
    if (this.#waiting.length === 0 || this.#sending.size >= REQUESTS_AT_A_TIME) return
    const batch = this.#waiting.slice(0, MAX_BATCH)
    this.#waiting = this.#waiting.slice(MAX_BATCH)
    const sending: Promise<void> = this.#send(batch).finally(() => {
      this.#sending.delete(sending)
      this.#pump()
    })
    this.#sending.add(sending)
  }

  async #send(batch: readonly Item[]): Promise<void> {
    // The end of a run arrives before its scores: a program killed in between leaves no score on a run that a resumed
    // experiment does again.
    await this.#client.flush()
    const outcomes = await this.#client.createFeedbackBatch(batch.map(({ feedback }) => feedback))
    for (const [at, error] of outcomes.entries()) if (error) batch[at]!.onError(error)
  }
}
