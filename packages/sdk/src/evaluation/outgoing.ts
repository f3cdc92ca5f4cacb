import { Limiter } from '../transport/limiter.ts'

const AT_A_TIME = 16
/** Beyond so many, whoever adds waits: memory stays small, and a slow server slows the experiment instead. */
const MAX_WAITING = 512

/**
 * Feedback on its way. Evaluators do not wait for it, so that a slow network costs the experiment no time; its end does.
 */
export class Outgoing {
  readonly #limiter = new Limiter(AT_A_TIME)
  readonly #pending = new Set<Promise<void>>()

  /** @returns when there is room for more; a failure is told to `onError` */
  async add(send: () => Promise<unknown>, onError: (error: unknown) => void): Promise<void> {
    const sending: Promise<void> = this.#limiter
      .run(send)
      .then(() => {}, onError)
      .finally(() => this.#pending.delete(sending))
    this.#pending.add(sending)
    if (this.#pending.size >= MAX_WAITING) await Promise.race(this.#pending)
  }

  async drain(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending)
  }
}
