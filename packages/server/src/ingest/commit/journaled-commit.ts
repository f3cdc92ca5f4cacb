import { ApiError } from '@touchstone/contract'
import type { Problems } from '../../outcome.ts'
import { type Journal, JournalFullError } from '../../storage/journal/index.ts'
import { Capacity } from './capacity.ts'
import type { GroupCommit } from './group-commit.ts'

export interface JournaledCommitOptions<Item> {
  readonly journal: Journal
  /** What the journal contained at its opening; it is applied first. */
  readonly recovered: readonly { readonly number: number; readonly items: readonly Item[] }[]
  /** Body of a journal record; `undefined` for items that are only acknowledged once they are in the store. */
  readonly encode: (items: readonly Item[]) => Buffer
  readonly isJournaled: (item: Item) => boolean
  readonly tenantOf: (item: Item) => string
  readonly measure: (item: Item) => number
  /** Puts items into the store as one block. Doing so again must give the same rows. */
  readonly commit: (items: readonly Item[]) => Promise<Problems<Item>>
  /**
   * Keeps items that the store refused after they were acknowledged, and reports them. An item leaves the journal only
   * after this has settled.
   */
  readonly keepRefused: (refused: Problems<Item>) => Promise<void>
  /** Called when a block could not be applied and is tried again. */
  readonly onFailure?: (error: unknown, attempt: number) => void
  /** Called with the number of items and bytes that are not applied whenever it changes. */
  readonly onDepth?: (rows: number, bytes: number) => void
  /** Items of one block. @default 3000 */
  readonly groupRows?: number
  /** Bytes of one block; a single larger item makes a block of its own. @default 16 MiB */
  readonly groupBytes?: number
  /** Milliseconds after which a block is applied even if it is small. @default 500 */
  readonly maxAgeMs?: number
  /** Items and bytes that are acknowledged and not applied; over it, requests wait. @default 10000, 48 MiB */
  readonly maxUnappliedRows?: number
  readonly maxUnappliedBytes?: number
  /** Items and bytes including those of waiting requests; over it, a request is refused. @default 20000, 256 MiB */
  readonly maxWaitingRows?: number
  readonly maxWaitingBytes?: number
  /** Milliseconds that a read waits for a store that fails. @default 5000 */
  readonly maxReadWaitMs?: number
}

export interface JournaledCommit<Item> extends GroupCommit<Item> {
  /**
   * Waits until everything that was acknowledged before is in the store, and has it applied at once.
   *
   * @param tenantIds  workspaces whose items matter; all without it
   * @throws ApiError UNAVAILABLE when the store fails
   */
  settled(tenantIds?: readonly string[]): Promise<void>
  /** Whether everything that was acknowledged is in the store. */
  readonly isSettled: boolean
  /** Runs `work` while nothing is acknowledged and everything that was is in the store. */
  hold<Result>(work: () => Promise<Result>): Promise<Result>
  /** Seconds since the oldest item that is not applied was acknowledged; 0 without one. */
  lagSeconds(): number
}

/** Items of one submission. */
interface Entry<Item> {
  readonly serial: number
  /** Number of its record; undefined when its request is answered after it was applied. */
  readonly number: number | undefined
  readonly items: readonly Item[]
  readonly bytes: number
  readonly at: number
  readonly settle?: (problems: Problems<Item>) => void
  readonly fail?: (error: unknown) => void
}

/**
 * Acknowledges items once they are in a journal, and puts them into the store in large blocks: a block costs the engine
 * nearly the same with 100 rows as with 1,000. Blocks are applied one after the other, in the order of the journal.
 *
 * @see docs/decisions/0080-journal-before-the-store.md
 */
export function createJournaledCommit<Item>(options: JournaledCommitOptions<Item>): JournaledCommit<Item> {
  return new JournaledItems(options)
}

const MAX_PAUSE_MS = 5_000
/** Failures of a single entry after which its items are tried one by one. */
const ATTEMPTS_OF_ENTRY = 6

class JournaledItems<Item> implements JournaledCommit<Item> {
  readonly #options: JournaledCommitOptions<Item>
  readonly #groupRows: number
  readonly #groupBytes: number
  readonly #capacity: Capacity
  #queue: Entry<Item>[] = []
  /** The last entry of each workspace that is not applied. */
  readonly #lastOf = new Map<string, number>()
  #serial = 0
  #applied = 0
  /** Entries up to this serial are applied without waiting for more. */
  #wanted = 0
  #readers: { readonly serial: number; readonly settle: () => void; readonly fail: (error: unknown) => void }[] = []
  #running: Promise<void> | undefined
  #wake = () => {}
  /** Failures since the last success. */
  #failures = 0
  /** Those of them that an item may have caused. */
  #suspicions = 0
  #failingSince = 0
  #lastFailure: unknown
  #isClosed = false
  /** Submissions that are being written to the journal. */
  readonly #appending = new Set<Promise<void>>()
  #held: Promise<unknown> | undefined

  constructor(options: JournaledCommitOptions<Item>) {
    const { maxUnappliedRows = 10_000, maxUnappliedBytes = 48 << 20 } = options
    const { maxWaitingRows = 20_000, maxWaitingBytes = 256 << 20 } = options
    this.#options = options
    this.#groupRows = options.groupRows ?? 3_000
    this.#groupBytes = options.groupBytes ?? 16 << 20
    this.#capacity = new Capacity({ maxUnappliedRows, maxUnappliedBytes, maxWaitingRows, maxWaitingBytes })
    for (const { number, items } of options.recovered) {
      const bytes = this.#measure(items)
      this.#capacity.take(items.length, bytes)
      this.#enqueue({ number, items, bytes })
    }
  }

  async submit(items: readonly Item[]): Promise<Problems<Item>> {
    if (items.length === 0) return new Map()
    if (this.#isClosed) throw new ApiError('UNAVAILABLE', 'The server is stopping.')
    const journaled = items.filter(this.#options.isJournaled)
    const direct = journaled.length === items.length ? [] : items.filter((item) => !this.#options.isJournaled(item))
    const bytes = this.#measure(journaled)
    const bytesOfDirect = this.#measure(direct)
    await this.#capacity.waitFor(items.length, bytes + bytesOfDirect)
    this.#report()
    while (this.#held !== undefined) await this.#held
    if (journaled.length > 0) {
      const appending = this.#append(journaled, bytes).finally(() => this.#appending.delete(appending))
      this.#appending.add(appending)
      try {
        await appending
      } catch (error) {
        this.#capacity.free(items.length, bytes + bytesOfDirect)
        this.#report()
        throw toRefusal(error)
      }
    }
    if (direct.length === 0) return new Map()
    return new Promise((settle, fail) => {
      this.#enqueue({ number: undefined, items: direct, bytes: bytesOfDirect, settle, fail })
      this.#wantUpTo(this.#serial)
    })
  }

  get isSettled(): boolean {
    return this.#lastOf.size === 0
  }

  async settled(tenantIds?: readonly string[]): Promise<void> {
    const serial = this.#lastSerial(tenantIds)
    if (serial <= this.#applied) return
    await new Promise<void>((settle, fail) => {
      this.#readers.push({ serial, settle, fail })
      this.#wantUpTo(serial)
    })
  }

  async hold<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#held !== undefined) await this.#held
    let release = () => {}
    this.#held = new Promise<void>((resolve) => {
      release = resolve
    })
    try {
      await Promise.allSettled(this.#appending)
      await this.settled()
      return await work()
    } finally {
      this.#held = undefined
      release()
    }
  }

  lagSeconds(): number {
    const [oldest] = this.#queue
    return oldest === undefined ? 0 : (performance.now() - oldest.at) / 1000
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#wantUpTo(this.#serial)
    await this.#running
    this.#refuseReaders()
    this.#capacity.close()
    await this.#options.journal.close()
  }

  async #append(items: readonly Item[], bytes: number): Promise<void> {
    const number = await this.#options.journal.append(this.#options.encode(items))
    this.#enqueue({ number, items, bytes })
  }

  #measure(items: readonly Item[]): number {
    return items.reduce((sum, item) => sum + this.#options.measure(item), 0)
  }

  #lastSerial(tenantIds: readonly string[] | undefined): number {
    if (this.#lastOf.size === 0) return 0
    if (tenantIds === undefined) return this.#serial
    return Math.max(0, ...tenantIds.map((id) => this.#lastOf.get(id) ?? 0))
  }

  #enqueue(entry: Omit<Entry<Item>, 'serial' | 'at'>): void {
    const serial = ++this.#serial
    this.#queue.push({ ...entry, serial, at: performance.now() })
    for (const item of entry.items) this.#lastOf.set(this.#options.tenantOf(item), serial)
    this.#running ??= this.#applyAll()
    this.#wake()
  }

  #wantUpTo(serial: number): void {
    this.#wanted = Math.max(this.#wanted, serial)
    this.#wake()
  }

  #report(): void {
    this.#options.onDepth?.(this.#capacity.rows, this.#capacity.bytes)
  }

  async #applyAll(): Promise<void> {
    // Let the caller finish its turn: the first entry is seldom the only one.
    await Promise.resolve()
    while (this.#queue.length > 0) {
      if (this.#failures === 0) await this.#untilDue()
      const block = this.#takeBlock()
      try {
        await this.#apply(block)
        this.#failures = 0
        this.#suspicions = 0
      } catch (error) {
        await this.#afterFailure(error)
        if (this.#isClosed && this.#failures > 2) break // the journal keeps the rest for the next start
      }
    }
    this.#running = undefined
  }

  /** Settles when a block is large or old enough, or when a reader waits for it. */
  #untilDue(): Promise<void> {
    return new Promise((resolve) => {
      const isDue = () => this.#wanted > this.#applied || this.#isClosed || this.#isFull()
      const end = () => {
        clearTimeout(timer)
        this.#wake = () => {}
        resolve()
      }
      const ageMs = this.lagSeconds() * 1000
      const timer = setTimeout(end, Math.max(0, (this.#options.maxAgeMs ?? 500) - ageMs))
      this.#wake = () => isDue() && end()
      this.#wake()
    })
  }

  #isFull(): boolean {
    return this.#capacity.rows >= this.#groupRows || this.#capacity.bytes >= this.#groupBytes
  }

  /** The entries of the next block. After failures blocks get smaller, down to one entry. */
  #takeBlock(): readonly Entry<Item>[] {
    const maxEntries = Math.max(1, this.#queue.length >> this.#suspicions)
    let rows = 0
    let bytes = 0
    let count = 0
    for (const entry of this.#queue) {
      if (count === maxEntries) break
      if (count > 0 && (rows + entry.items.length > this.#groupRows || bytes + entry.bytes > this.#groupBytes)) break
      rows += entry.items.length
      bytes += entry.bytes
      count++
    }
    return this.#queue.slice(0, count)
  }

  async #apply(block: readonly Entry<Item>[]): Promise<void> {
    const isSuspect = block.length === 1 && block[0]?.number !== undefined && this.#suspicions >= ATTEMPTS_OF_ENTRY
    const items = block.flatMap((entry) => entry.items)
    const problems = isSuspect ? await this.#applyOneByOne(items) : await this.#options.commit(items)
    await this.#remove(block, problems)
  }

  /** Stores each item alone, so that one item that the engine always fails on does not hold up all others. */
  async #applyOneByOne(items: readonly Item[]): Promise<Problems<Item>> {
    const problems = new Map<Item, string>()
    for (const item of items) {
      try {
        for (const [one, problem] of await this.#options.commit([item])) problems.set(one, problem)
      } catch (error) {
        if (isLackOfResources(error)) throw error
        problems.set(item, error instanceof Error ? error.message : String(error))
      }
    }
    return problems
  }

  /** Ends the entries of a block that was applied. */
  async #remove(block: readonly Entry<Item>[], problems: Problems<Item>): Promise<void> {
    const journaled = block.filter(({ number }) => number !== undefined)
    const refused = new Map<Item, string>()
    if (problems.size > 0) {
      for (const { items } of journaled)
        for (const item of items) {
          const problem = problems.get(item)
          if (problem !== undefined) refused.set(item, problem)
        }
    }
    if (refused.size > 0) await this.#options.keepRefused(refused)
    const last = journaled.at(-1)?.number
    // Readers see the block only after this: what they do next must not be undone by applying the block again.
    if (last !== undefined) await this.#options.journal.markApplied(last)
    this.#queue.splice(0, block.length)
    for (const { items, bytes, settle } of block) {
      this.#capacity.free(items.length, bytes)
      settle?.(problems)
    }
    this.#advance()
  }

  /** Lets those read who waited for entries that have left the queue. */
  #advance(): void {
    this.#report()
    this.#applied = (this.#queue[0]?.serial ?? this.#serial + 1) - 1
    for (const [tenantId, serial] of this.#lastOf) if (serial <= this.#applied) this.#lastOf.delete(tenantId)
    const ready = this.#readers.filter(({ serial }) => serial <= this.#applied)
    this.#readers = this.#readers.filter(({ serial }) => serial > this.#applied)
    for (const { settle } of ready) settle()
  }

  /** Answers those who cannot wait, and pauses. Journaled entries stay first in the queue. */
  async #afterFailure(error: unknown): Promise<void> {
    this.#lastFailure = error
    if (this.#failures === 0) this.#failingSince = performance.now()
    this.#failures++
    // A full disk or a lack of memory is no reason to suspect an item.
    if (!isLackOfResources(error)) this.#suspicions++
    this.#options.onFailure?.(error, this.#failures)
    const direct = this.#queue.filter(({ number }) => number === undefined)
    this.#queue = this.#queue.filter(({ number }) => number !== undefined)
    for (const { items, bytes, fail } of direct) {
      this.#capacity.free(items.length, bytes)
      fail?.(error)
    }
    this.#advance()
    const pauseMs = Math.min(MAX_PAUSE_MS, 50 * 2 ** Math.min(this.#failures, 10))
    for (let left = pauseMs; left > 0 && this.#queue.length > 0; left -= 100) {
      if (performance.now() - this.#failingSince >= (this.#options.maxReadWaitMs ?? 5_000)) this.#refuseReaders()
      await new Promise((resolve) => setTimeout(resolve, Math.min(left, 100)))
    }
  }

  #refuseReaders(): void {
    const late = this.#readers
    this.#readers = []
    const { rows } = this.#capacity
    const cause = this.#lastFailure
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `Accepted items (${rows}) are in the journal but cannot be read yet: ${reason}`
    for (const { fail } of late) fail(new ApiError('UNAVAILABLE', message, { cause }))
  }
}

function toRefusal(cause: unknown): ApiError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const isFull = cause instanceof JournalFullError
  const message = `The journal cannot be written: ${reason} Nothing of this request was stored; ${isFull ? 'free space and ' : ''}send it again.`
  return new ApiError('UNAVAILABLE', message, { cause, retryAfterSeconds: isFull ? 10 : 1 })
}

/** Failures that end by themselves or by an operator, and have nothing to do with an item. */
function isLackOfResources(error: unknown): boolean {
  return error instanceof ApiError && /disk is full|no memory/i.test(error.message)
}
