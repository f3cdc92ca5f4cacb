import { ApiError } from '@touchstone/contract'

export interface GroupCommitOptions<Item> {
  /** Stores items as one block; settles once they are durable and readable. Item i's problem is the i-th entry. */
  readonly commit: (items: readonly Item[]) => Promise<readonly (string | undefined)[]>
  readonly bytesOf: (item: Item) => number
  /** Items of one block. @default 2000 */
  readonly groupRows?: number
  /** Bytes of one block; a single larger item makes a block of its own. @default 16 MiB */
  readonly groupBytes?: number
  /** Items that may wait; over it a submission is refused. @default 20000 */
  readonly maxWaitingRows?: number
  /** Bytes that may wait. @default 256 MiB */
  readonly maxWaitingBytes?: number
  /**
   * Milliseconds that the next block waits, at the most, for those who were just answered to send again: a block of one
   * sender's rows costs nearly as much as one of everybody's. An idle server never waits. @default 10
   */
  readonly gatherMs?: number
  /** Told the number of items and bytes that wait, whenever it changes. */
  readonly onDepth?: (rows: number, bytes: number) => void
}

export interface GroupCommit<Item> {
  /**
   * Waits until all items are stored. Items that could not be stored have a sentence at their place.
   *
   * @throws ApiError RATE_LIMITED when too much waits already, UNAVAILABLE when the store failed or is closing
   */
  submit(items: readonly Item[]): Promise<readonly (string | undefined)[]>
  /** Refuses new items and settles once everything that waits is stored. */
  close(): Promise<void>
}

/**
 * Lets many requests share one insert. While one block is being written the next one gathers, so the busier the server,
 * the larger (and cheaper per row) the blocks; an idle server writes at once.
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

  /** Settles when that many items wait, or the time for it is over. */
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
    while (rows < waiting.length && rows < groupRows) {
      const next = waiting[rows]!.bytes
      if (rows > 0 && bytes + next > groupBytes) break
      bytes += next
      rows++
    }
    return waiting.splice(0, rows)
  }

  async function store(group: readonly Waiting<Item>[]): Promise<void> {
    try {
      const problems = await options.commit(group.map((one) => one.item))
      group.forEach((one, at) => {
        one.settle(problems[at])
      })
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
      if (items.length === 0) return []
      if (closed) throw new ApiError('UNAVAILABLE', 'The server is stopping.')
      const bytes = items.map(options.bytesOf)
      const total = bytes.reduce((sum, one) => sum + one, 0)
      const depth = waiting.length + underWay
      // An empty buffer takes anything: a request larger than the whole bound must still be possible.
      if (depth > 0 && (depth + items.length > maxWaitingRows || waitingBytes + total > maxWaitingBytes)) {
        throw new ApiError('RATE_LIMITED', `${depth} runs are waiting to be stored; send this batch again shortly.`)
      }
      waitingBytes += total
      const settled = items.map(
        (item, at) =>
          new Promise<string | undefined>((settle, fail) => waiting.push({ item, bytes: bytes[at]!, settle, fail })),
      )
      report()
      gathered()
      running ??= Promise.resolve().then(drain)
      return await Promise.all(settled)
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
