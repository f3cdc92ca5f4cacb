import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@touchstone/contract'
import type { Problems } from '../../outcome.ts'
import { type Journal, JournalFullError } from '../../storage/journal/index.ts'
import { Block, type BlockOptions } from './block.ts'
import { Capacity } from './capacity.ts'
import { type Entry, EntryQueue } from './entry-queue.ts'
import type { GroupCommit } from './group-commit.ts'

export interface JournaledCommitOptions<Item> extends BlockOptions<Item> {
  readonly journal: Journal
  /** What the journal contained at its opening; it is applied first. */
  readonly recovered: readonly { readonly number: number; readonly items: readonly Item[] }[]
  /** Body of a journal record; `undefined` for items that are only acknowledged once they are in the store. */
  readonly encode: (items: readonly Item[]) => Buffer
  readonly isJournaled: (item: Item) => boolean
  readonly tenantOf: (item: Item) => string
  readonly measure: (item: Item) => number
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
  /** @default the clock of the process */
  readonly time?: Time
}

/** A clock, and pauses on it, in milliseconds. */
interface Time {
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<unknown>
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

/** Failures since the last progress. */
interface Failing {
  readonly sinceMs: number
  readonly count: number
  readonly last: unknown
  /** Items of the block that were left. */
  readonly left: number
}

class JournaledItems<Item> implements JournaledCommit<Item> {
  readonly #options: JournaledCommitOptions<Item>
  readonly #time: Time
  readonly #groupRows: number
  readonly #groupBytes: number
  readonly #capacity: Capacity
  readonly #queue: EntryQueue<Item>
  /** Submissions that are being written to the journal. */
  readonly #appending = new Set<Promise<void>>()
  /** Entries up to this serial are applied without waiting for more. */
  #wanted = 0
  #readers: Reader[] = []
  #running: Promise<void> | undefined
  #wake = () => {}
  #failing: Failing | undefined
  #isClosed = false
  #held: Promise<unknown> | undefined

  constructor(options: JournaledCommitOptions<Item>) {
    const { maxUnappliedRows = 10_000, maxUnappliedBytes = 48 << 20 } = options
    const { maxWaitingRows = 20_000, maxWaitingBytes = 256 << 20 } = options
    this.#options = options
    this.#time = options.time ?? { now: () => performance.now(), sleep }
    this.#groupRows = options.groupRows ?? 3_000
    this.#groupBytes = options.groupBytes ?? 16 << 20
    this.#capacity = new Capacity({ maxUnappliedRows, maxUnappliedBytes, maxWaitingRows, maxWaitingBytes })
    this.#queue = new EntryQueue(options.tenantOf)
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
      this.#wantUpTo(this.#queue.last)
    })
  }

  get isSettled(): boolean {
    return this.#queue.length === 0
  }

  async settled(tenantIds?: readonly string[]): Promise<void> {
    const serial = this.#queue.lastOf(tenantIds)
    if (serial <= this.#queue.applied) return
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
    const { oldest } = this.#queue
    return oldest === undefined ? 0 : (this.#time.now() - oldest.at) / 1000
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#wantUpTo(this.#queue.last)
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

  #enqueue(entry: Omit<Entry<Item>, 'serial' | 'at'>): void {
    this.#queue.push({ ...entry, at: this.#time.now() })
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
    let begun: QueuedBlock<Item> | undefined
    while (this.#queue.length > 0) {
      if (this.#failing === undefined) await this.#untilDue()
      const block: QueuedBlock<Item> = begun ?? this.#takeBlock()
      try {
        await block.items.apply()
        await this.#remove(block)
        begun = undefined
        this.#failing = undefined
      } catch (error) {
        await this.#afterFailure(error, block)
        begun = block.entries.length === 0 ? undefined : block
        if (this.#isClosed && (this.#failing?.count ?? 0) > 2) break // the journal keeps the rest for the next start
      }
    }
    this.#running = undefined
  }

  /** Settles when a block is large or old enough, or when a reader waits for it. */
  #untilDue(): Promise<void> {
    return new Promise((resolve) => {
      const isDue = () => this.#wanted > this.#queue.applied || this.#isClosed || this.#isFull()
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

  #takeBlock(): QueuedBlock<Item> {
    const entries = this.#queue.first(this.#groupRows, this.#groupBytes)
    const items = entries.flatMap((entry) => entry.items)
    const block: QueuedBlock<Item> = {
      entries,
      items: new Block(items, this.#options, () => this.#queue.itemsAfter(block.entries.length)),
    }
    return block
  }

  /** Ends the entries of a block that was applied. */
  async #remove({ entries, items: { problems } }: QueuedBlock<Item>): Promise<void> {
    const journaled = entries.filter(({ number }) => number !== undefined)
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
    this.#queue.removeFirst(entries.length)
    for (const { items, bytes, settle } of entries) {
      this.#capacity.free(items.length, bytes)
      settle?.(problems)
    }
    this.#advance()
  }

  /** Lets those read who waited for entries that have left the queue. */
  #advance(): void {
    this.#report()
    const { applied } = this.#queue
    const ready = this.#readers.filter(({ serial }) => serial <= applied)
    this.#readers = this.#readers.filter(({ serial }) => serial > applied)
    for (const { settle } of ready) settle()
  }

  /** Answers those who cannot wait, and pauses. Journaled entries stay first in the queue. */
  async #afterFailure(error: unknown, block: QueuedBlock<Item>): Promise<void> {
    this.#failDirect(error, block)
    const left = block.items.left
    const before = this.#failing
    const isProgress = before !== undefined && left < before.left
    const failing = { sinceMs: before?.sinceMs ?? this.#time.now(), count: 1 + (isProgress ? 0 : (before?.count ?? 0)) }
    this.#failing = { ...failing, last: error, left }
    this.#options.onFailure?.(error, failing.count)
    await this.#pause(Math.min(MAX_PAUSE_MS, 50 * 2 ** Math.min(failing.count, 10)))
  }

  /** Answers the requests that wait for the store. */
  #failDirect(error: unknown, block: QueuedBlock<Item>): void {
    const direct = this.#queue.removeDirect()
    for (const { items, bytes, fail } of direct) {
      this.#capacity.free(items.length, bytes)
      fail?.(error)
    }
    block.items.drop(new Set(direct.flatMap(({ items }) => items)))
    block.entries = block.entries.filter(({ number }) => number !== undefined)
    this.#advance()
  }

  async #pause(pauseMs: number): Promise<void> {
    for (let left = pauseMs; left > 0 && this.#queue.length > 0; left -= 100) {
      const failingMs = this.#time.now() - (this.#failing?.sinceMs ?? Number.POSITIVE_INFINITY)
      if (failingMs >= (this.#options.maxReadWaitMs ?? 5_000)) this.#refuseReaders()
      await this.#time.sleep(Math.min(left, 100))
    }
  }

  #refuseReaders(): void {
    const late = this.#readers
    this.#readers = []
    const { rows } = this.#capacity
    const cause = this.#failing?.last
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `Accepted items (${rows}) are in the journal but cannot be read yet: ${reason}`
    for (const { fail } of late) fail(new ApiError('UNAVAILABLE', message, { cause }))
  }
}

interface Reader {
  readonly serial: number
  readonly settle: () => void
  readonly fail: (error: unknown) => void
}

/** The first entries of the queue, and the state of their items. */
interface QueuedBlock<Item> {
  entries: readonly Entry<Item>[]
  readonly items: Block<Item>
}

function toRefusal(cause: unknown): ApiError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const isFull = cause instanceof JournalFullError
  const message = `The journal cannot be written: ${reason} Nothing of this request was stored; ${isFull ? 'free space and ' : ''}send it again.`
  return new ApiError('UNAVAILABLE', message, { cause, retryAfterSeconds: isFull ? 10 : 1 })
}
