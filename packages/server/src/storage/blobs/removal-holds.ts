/** Lets others stop the removals of this process for a while. */
export class RemovalHolds {
  readonly #holders = new Set<object>()
  readonly #underWay = new Set<Promise<unknown>>()

  /** Settles once no removal is under way. @returns a function that ends this hold */
  async hold(): Promise<() => void> {
    const holder = {}
    this.#holders.add(holder)
    await Promise.allSettled(this.#underWay)
    return () => void this.#holders.delete(holder)
  }

  /** Does the work and returns what it returns, or false while somebody holds. */
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
