/** Delays all requests of one sender after the server asked for a pause. */
export class Gate {
  #openAt = 0

  pause(ms: number, now: number = Date.now()): void {
    this.#openAt = Math.max(this.#openAt, now + ms)
  }

  /** Resolves when the pause is over, including extensions made while waiting. */
  async open(): Promise<void> {
    for (let left = this.#openAt - Date.now(); left > 0; left = this.#openAt - Date.now()) {
      await new Promise((resolve) => setTimeout(resolve, left))
    }
  }
}
