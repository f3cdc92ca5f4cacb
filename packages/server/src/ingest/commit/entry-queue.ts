import type { Problems } from '../../outcome.ts'

/** Items of one submission. */
export interface Entry<Item> {
  readonly serial: number
  /** Number of its record; undefined when its request is answered after it was applied. */
  readonly number: number | undefined
  readonly items: readonly Item[]
  readonly bytes: number
  /** Milliseconds of the caller's clock. */
  readonly at: number
  readonly settle?: (problems: Problems<Item>) => void
  readonly fail?: (error: unknown) => void
}

/** Entries that are not applied, in the order of the journal. */
export class EntryQueue<Item> {
  #entries: Entry<Item>[] = []
  /** The last entry of each workspace that is not applied. */
  readonly #lastOf = new Map<string, number>()
  #serial = 0

  constructor(private readonly tenantOf: (item: Item) => string) {}

  get length(): number {
    return this.#entries.length
  }

  get oldest(): Entry<Item> | undefined {
    return this.#entries[0]
  }

  /** Serial of the last entry that was added. */
  get last(): number {
    return this.#serial
  }

  /** Every entry up to this serial has left the queue. */
  get applied(): number {
    return (this.#entries[0]?.serial ?? this.#serial + 1) - 1
  }

  /** Serial of the last entry with items of these workspaces; 0 without one. */
  lastOf(tenantIds: readonly string[] | undefined): number {
    if (this.#lastOf.size === 0) return 0
    if (tenantIds === undefined) return this.#serial
    return Math.max(0, ...tenantIds.map((id) => this.#lastOf.get(id) ?? 0))
  }

  push(entry: Omit<Entry<Item>, 'serial'>): void {
    const serial = ++this.#serial
    this.#entries.push({ ...entry, serial })
    for (const item of entry.items) this.#lastOf.set(this.tenantOf(item), serial)
  }

  /** The first entries, at least one, within the limits. They stay in the queue. */
  first(maxRows: number, maxBytes: number): readonly Entry<Item>[] {
    let rows = 0
    let bytes = 0
    let count = 0
    for (const entry of this.#entries) {
      if (count > 0 && (rows + entry.items.length > maxRows || bytes + entry.bytes > maxBytes)) break
      rows += entry.items.length
      bytes += entry.bytes
      count++
    }
    return this.#entries.slice(0, count)
  }

  /** Items of the entries after the first ones that are in the journal. */
  *itemsAfter(count: number): Generator<Item> {
    for (let at = count; at < this.#entries.length; at++) {
      const entry = this.#entries[at]
      if (entry?.number !== undefined) yield* entry.items
    }
  }

  removeFirst(count: number): void {
    this.#entries.splice(0, count)
    this.#forgetApplied()
  }

  /** Removes the entries whose requests still wait, and returns them. */
  removeDirect(): readonly Entry<Item>[] {
    const direct = this.#entries.filter(({ number }) => number === undefined)
    if (direct.length === 0) return direct
    this.#entries = this.#entries.filter(({ number }) => number !== undefined)
    this.#forgetApplied()
    return direct
  }

  #forgetApplied(): void {
    const { applied } = this
    for (const [tenantId, serial] of this.#lastOf) if (serial <= applied) this.#lastOf.delete(tenantId)
  }
}
