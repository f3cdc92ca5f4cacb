interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** Collects what is asked within a moment, so that a statement serves many. */
export class Batch<Item, Result> {
  #waiting: Waiting<Item, Result>[] = []
  #timer: NodeJS.Timeout | undefined

  /**
   * @param run  a result for each item, in their order; its failure is that of each
   * @param options.waitMs  how long the first item waits for others
   * @param options.most  items of one run
   */
  constructor(
    readonly run: (items: readonly Item[]) => Promise<readonly Result[]>,
    readonly options: { readonly waitMs: number; readonly most: number },
  ) {}

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (this.#waiting.length >= this.options.most) this.#flush()
      else this.#timer ??= setTimeout(() => this.#flush(), this.options.waitMs)
    })
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const waiting = this.#waiting
    this.#waiting = []
    void this.#run(waiting)
  }

  async #run(waiting: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.run(waiting.map(({ item }) => item))
      for (const [at, { resolve }] of waiting.entries()) resolve(results[at] as Result)
    } catch (error) {
      for (const { reject } of waiting) reject(error)
    }
  }
}
