/** Holds back the removals of this process. */
export class RemovalHolds {
  readonly #holders = new Set<object>()
  readonly #underWay = new Set<Promise<unknown>>()

  /** Settles once no removal is running. @returns a function that ends this hold */
  async hold(): Promise<() => void> {
    const holder = {}
    this.#holders.add(holder)
    await Promise.allSettled(this.#underWay)
    return () => void this.#holders.delete(holder)
  }

  /** Runs the work and returns its result, or false during a hold. */
  async unlessHeld(work: () => Promise<boolean>): Promise<boolean> {
    if (this.#holders.size > 0) return false
    const running = work()
    this.#underWay.add(running)
    try {
      return await running
    } finally {
      this.#underWay.delete(running)
    }
  }
}
