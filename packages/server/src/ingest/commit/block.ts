import type { Problems } from '../../outcome.ts'
import { StoreFailure } from '../../storage/analytics/store-failure.ts'
import { isFailureOfSystem } from '../../storage/unavailable-store.ts'

export interface BlockOptions<Item> {
  /** Puts items into the store as one block. Doing so again must give the same rows. */
  readonly commit: (items: readonly Item[]) => Promise<Problems<Item>>
  /** Items with the same key are applied in their order. @default every item has a key of its own */
  readonly keyOf?: ((item: Item) => string | undefined) | undefined
  /** An accepted item is evidence only against items of the same kind. @default all are of one kind */
  readonly kindOf?: ((item: Item) => string) | undefined
}

/** Failures of one item after each of which the store accepted another one; with the last one the item is set aside. */
const FAILURES_OF_ITEM = 4
/** Other items that are tried after an item has failed, until one is accepted. */
const MAX_WITNESSES = 5
/** Those of them that the store has accepted before. */
const MAX_ACCEPTED = 2
/** Items that are looked at for them. */
const MAX_LOOKED_AT = 1_000

/**
 * Items that are applied together. When the store fails on them, they are halved until the failing item is alone. It is
 * set aside only when the store repeatedly accepts another item right after it has failed on this one: until then it may
 * be the store's fault. What the store lacks (memory, disk, connection) never counts against an item.
 *
 * @see docs/decisions/0095-whose-fault-a-failed-block-is.md
 */
export class Block<Item> {
  readonly problems = new Map<Item, string>()
  /** Not applied, in the order of the journal. */
  #left: readonly Item[]
  readonly #applied: Item[] = []
  readonly #failures = new Map<Item, number>()
  /** Items of the next part: after failures few, then twice as many after each success. */
  #size: number
  /** Items of a part that the store has enough memory and time for. */
  #maxSize: number

  /** @param behind  items that follow the block, in their order */
  constructor(
    items: readonly Item[],
    private readonly options: BlockOptions<Item>,
    private readonly behind: () => Iterable<Item>,
  ) {
    this.#left = items
    this.#size = items.length
    this.#maxSize = items.length
  }

  /** Number of items that are neither applied nor set aside. */
  get left(): number {
    return this.#left.length
  }

  /**
   * Applies what is left. After a failure the next call goes on with what is still left.
   *
   * @throws the failure of the store
   */
  async apply(): Promise<void> {
    const pass: Pass = { held: new Set(), failure: undefined }
    for (let waiting = this.#left; waiting.length > 0; ) {
      const part = waiting.slice(0, this.#size)
      waiting = waiting.slice(this.#size)
      if (await this.#applyPart(part, pass)) this.#size = Math.min(this.#maxSize, 2 * this.#size)
    }
    if (this.#left.length > 0) throw pass.failure
  }

  /** Gives up items whose senders no longer wait. */
  drop(items: ReadonlySet<Item>): void {
    if (items.size > 0) this.#left = this.#left.filter((item) => !items.has(item))
  }

  /** Returns whether the store accepted all items. */
  async #applyPart(given: readonly Item[], pass: Pass): Promise<boolean> {
    const part = pass.held.size === 0 ? given : given.filter((item) => !pass.held.has(this.#keyOf(item) ?? ''))
    const [first] = part
    if (first === undefined) return true
    try {
      const problems = await this.options.commit(part)
      this.#end(part, problems)
      this.#applied.push(...part.filter((item) => !problems.has(item)))
      return true
    } catch (error) {
      if (isFaultOfStore(error)) {
        if (error instanceof StoreFailure && error.mayFitInParts) {
          this.#maxSize = Math.max(1, part.length >> 1)
          this.#size = Math.min(this.#size, this.#maxSize)
        }
        throw error
      }
      if (part.length === 1) await this.#suspect(first, error, pass)
      else {
        const middle = part.length >> 1
        await this.#applyPart(part.slice(0, middle), pass)
        await this.#applyPart(part.slice(middle), pass)
      }
      return false
    }
  }

  /** @throws the failure when nothing shows that the store works */
  async #suspect(item: Item, failure: unknown, pass: Pass): Promise<void> {
    pass.failure = failure
    if (!(await this.#acceptsAnother(item))) {
      this.#size = 1
      throw failure
    }
    const failures = (this.#failures.get(item) ?? 0) + 1
    this.#failures.set(item, failures)
    if (failures >= FAILURES_OF_ITEM) {
      this.#end([item], new Map([[item, failure instanceof Error ? failure.message : String(failure)]]))
      return
    }
    const key = this.#keyOf(item)
    if (key !== undefined) pass.held.add(key)
  }

  #end(items: readonly Item[], problems: Problems<Item>): void {
    for (const [item, problem] of problems) this.problems.set(item, problem)
    const ended = new Set(items)
    this.#left = this.#left.filter((item) => !ended.has(item))
  }

  /**
   * Whether the store accepts an item other than this one now. An accepted item that is applied again gives the same rows, and
   * no reader has seen them, because readers wait for the whole block and for what is behind it.
   */
  async #acceptsAnother(suspect: Item): Promise<boolean> {
    for (const other of this.#findWitnesses(suspect)) {
      try {
        const problems = await this.options.commit([other])
        if (!problems.has(other)) return true
      } catch (error) {
        if (isFaultOfStore(error)) throw error
      }
    }
    return false
  }

  /** Items that can be applied now without changing the order of those with the same key. */
  #findWitnesses(suspect: Item): readonly Item[] {
    const accepted = this.#selectWitnesses(suspect, this.#applied.slice(-MAX_LOOKED_AT).reverse(), MAX_ACCEPTED)
    return [...accepted, ...this.#selectWitnesses(suspect, this.#waiting(), MAX_WITNESSES - accepted.length)]
  }

  *#waiting(): Generator<Item> {
    yield* this.#left
    yield* this.behind()
  }

  /** The first of each key only. For accepted items that is the last one: applying an earlier one would undo it. */
  #selectWitnesses(suspect: Item, from: Iterable<Item>, max: number): readonly Item[] {
    const kind = this.options.kindOf?.(suspect)
    const keys = new Set([this.#keyOf(suspect)])
    const found: Item[] = []
    let lookedAt = 0
    for (const item of from) {
      if (found.length === max || ++lookedAt > MAX_LOOKED_AT) break
      const key = this.#keyOf(item)
      const isFirst = key === undefined || !keys.has(key)
      keys.add(key)
      if (isFirst && item !== suspect && !this.#failures.has(item) && this.options.kindOf?.(item) === kind) {
        found.push(item)
      }
    }
    return found
  }

  #keyOf(item: Item): string | undefined {
    return this.options.keyOf?.(item)
  }
}

/** State of one pass over the items that are left. */
interface Pass {
  /** Keys of items that failed; later items with the same key wait for them. */
  readonly held: Set<string>
  failure: unknown
}

/** Failures that end by themselves or by an operator, and have nothing to do with an item. */
function isFaultOfStore(error: unknown): boolean {
  return error instanceof StoreFailure ? error.kind === 'resources' : isFailureOfSystem(error)
}
