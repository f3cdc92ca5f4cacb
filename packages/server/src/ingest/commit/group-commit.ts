import { ApiError } from '@touchstone/contract'
import type { Problems } from '../../outcome.ts'

export interface GroupCommitOptions<Item> {
  /** Stores items as one block; settles once they are durable and readable. */
  readonly commit: (items: readonly Item[]) => Promise<Problems<Item>>
  readonly measure: (item: Item) => number
  /** Items of one block. @default 2000 */
  readonly groupRows?: number
  /** Bytes of one block; a single larger item makes a block of its own. @default 16 MiB */
  readonly groupBytes?: number
  /** Maximum number of waiting items; a submission over it is refused. @default 20000 */
  readonly maxWaitingRows?: number
  /** Maximum number of waiting bytes. @default 256 MiB */
  readonly maxWaitingBytes?: number
  /**
   * Maximum milliseconds that the next block waits for clients that were just answered to send again: a block with the
   * rows of one sender costs nearly as much as a block with the rows of all senders. An idle server never waits. @default 10
   */
  readonly gatherMs?: number
  /** Called with the number of waiting items and bytes whenever it changes. */
  readonly onDepth?: (rows: number, bytes: number) => void
}

export interface GroupCommit<Item> {
  /**
   * Waits until all items are stored.
   *
   * @returns the items that could not be stored
   * @throws ApiError RATE_LIMITED when too much waits already, UNAVAILABLE when the store failed or is closing
   */
  submit(items: readonly Item[]): Promise<Problems<Item>>
  /** Refuses new items and settles once all waiting items are stored. */
  close(): Promise<void>
}

/**
 * Lets many requests share one insert. While one block is written the next one fills, so blocks are larger (and cheaper
 * per row) on a busy server; an idle server writes immediately.
 *
 * @see docs/decisions/0007-group-commit.md
 */
export function createGroupCommit<Item>(options: GroupCommitOptions<Item>): GroupCommit<Item> {
  const { groupRows = 2_000, groupBytes = 16 << 20, maxWaitingRows = 20_000, maxWaitingBytes = 256 << 20 } = options
  const { gatherMs = 10 } = options
  const waiting: Waiting<Item>[] = []
  let waitingBytes = 0
  let underWay = 0
  let running: Promise<void> | undefined
  let gathered = () => {}
  let closed = false

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const group = takeGroup()
      underWay = group.length
      await store(group)
      underWay = 0
      report()
      await gather(Math.min(group.length + waiting.length, groupRows))
    }
    running = undefined
  }

  /** Settles when this many items wait, or after `gatherMs`. */
  function gather(rows: number): Promise<void> {
    return new Promise((resolve) => {
      if (closed || waiting.length >= rows) return resolve()
      const timer = setTimeout(resolve, gatherMs)
      gathered = () => {
        if (waiting.length < rows && !closed) return
        clearTimeout(timer)
        resolve()
      }
    })
  }

  function takeGroup(): Waiting<Item>[] {
    let bytes = 0
    let rows = 0
    for (const next of waiting) {
      if (rows === groupRows || (rows > 0 && bytes + next.bytes > groupBytes)) break
      bytes += next.bytes
      rows++
    }
    return waiting.splice(0, rows)
  }

  async function store(group: readonly Waiting<Item>[]): Promise<void> {
    try {
      const problems = await options.commit(group.map((one) => one.item))
      for (const one of group) one.settle(problems.get(one.item))
    } catch (error) {
      for (const one of group) one.fail(error)
    } finally {
      waitingBytes -= group.reduce((sum, one) => sum + one.bytes, 0)
    }
  }

  function report(): void {
    options.onDepth?.(waiting.length + underWay, waitingBytes)
  }

  return {
    async submit(items) {
      const problems = new Map<Item, string>()
      if (items.length === 0) return problems
      if (closed) throw new ApiError('UNAVAILABLE', 'The server is stopping.')
      const sized = items.map((item) => ({ item, bytes: options.measure(item) }))
      const total = sized.reduce((sum, one) => sum + one.bytes, 0)
      const depth = waiting.length + underWay
      // An empty buffer accepts any submission: a request larger than the limit must be possible.
      if (depth > 0 && (depth + items.length > maxWaitingRows || waitingBytes + total > maxWaitingBytes)) {
        throw new ApiError('RATE_LIMITED', `${depth} runs are waiting to be stored; send this batch again shortly.`)
      }
      waitingBytes += total
      const stored = sized.map(
        ({ item, bytes }) =>
          new Promise<void>((resolve, fail) => {
            const settle = (problem: string | undefined) => {
              if (problem !== undefined) problems.set(item, problem)
              resolve()
            }
            waiting.push({ item, bytes, settle, fail })
          }),
      )
      report()
      gathered()
      running ??= Promise.resolve().then(drain)
      await Promise.all(stored)
      return problems
    },
    async close() {
      closed = true
      gathered()
      await running
    },
  }
}

interface Waiting<Item> {
  readonly item: Item
  readonly bytes: number
  readonly settle: (problem: string | undefined) => void
  readonly fail: (error: unknown) => void
}
