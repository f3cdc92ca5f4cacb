/** At most `max` tasks at a time, the rest in order of arrival. */
export class Limiter {
  readonly #max: number
  readonly #queue: (() => void)[] = []
  #running = 0

  constructor(max: number) {
    this.#max = max
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    // A finished task hands its place over without giving it back, so a newcomer cannot slip in between.
    if (this.#running >= this.#max) await new Promise<void>((resolve) => this.#queue.push(resolve))
    else this.#running++
    try {
      return await task()
    } finally {
      const next = this.#queue.shift()
      if (next) next()
      else this.#running--
    }
  }
}
