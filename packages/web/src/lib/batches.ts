/** Loads many items with one request. */
export interface Batches<Item> {
  /** @throws what the request threw, or the reason of the signal */
  load(id: string, signal?: AbortSignal): Promise<Item | undefined>
}

export interface BatchOptions {
  /** Most ids of one request. */
  readonly max: number
  /** How long ids are collected, in ms. */
  readonly waitMs: number
}

interface Waiting<Item> {
  readonly id: string
  readonly signal: AbortSignal | undefined
  readonly resolve: (item: Item | undefined) => void
  readonly reject: (cause: unknown) => void
}

/** Collects the ids that are requested at almost the same time; ids that are no longer wanted are not requested. */
export function createBatches<Item>(
  request: (ids: readonly string[]) => Promise<ReadonlyMap<string, Item>>,
  { max, waitMs }: BatchOptions,
): Batches<Item> {
  let waiting: Waiting<Item>[] = []

  async function send(batch: readonly Waiting<Item>[]) {
    try {
      const items = await request([...new Set(batch.map(({ id }) => id))])
      for (const { id, resolve } of batch) resolve(items.get(id))
    } catch (cause) {
      for (const { reject } of batch) reject(cause)
    }
  }
  function flush() {
    for (const { signal, reject } of waiting) if (signal?.aborted) reject(signal.reason)
    const wanted = waiting.filter(({ signal }) => !signal?.aborted)
    waiting = []
    for (let at = 0; at < wanted.length; at += max) void send(wanted.slice(at, at + max))
  }
  return {
    load: (id, signal) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setTimeout(flush, waitMs)
        waiting.push({ id, signal, resolve, reject })
      }),
  }
}
