import { refuse } from './reader.ts'

/** Upper bound of the bytes of a value. */
export interface Size {
  /** Multiple of the bytes of the columns that it is made from. */
  readonly times: number
  /** Bytes that do not come from columns. */
  readonly bytes: number
}

/** A number, a boolean or a time. */
export const FIXED: Size = { times: 0, bytes: 8 }
export const ONE_COLUMN: Size = { times: 1, bytes: 0 }

/** Maximum growth of a text or list: enough to escape all special characters of a text several times. */
const MAX_TIMES = 1_000
/** Maximum bytes of a value that is made from literals. */
const MAX_BYTES = 1_000_000

export function sumSizes(sizes: readonly Size[]): Size {
  return sizes.reduce((sum, { times, bytes }) => ({ times: sum.times + times, bytes: sum.bytes + bytes }), {
    times: 0,
    bytes: 0,
  })
}

export const multiplySize = ({ times, bytes }: Size, factor: number): Size => ({
  times: times * factor,
  bytes: bytes * factor,
})

/** @throws ApiError INVALID_REQUEST when a value may become too large */
export function checkSize(what: string, { times, bytes }: Size): void {
  if (times > MAX_TIMES) {
    refuse(
      `${what} may make a value ${Math.ceil(times)} times as large as its columns, at most ${MAX_TIMES} times are allowed. Nest fewer functions that lengthen texts, such as replaceAll and concat.`,
    )
  }
  if (bytes > MAX_BYTES) {
    refuse(
      `${what} may make a value of ${Math.ceil(bytes)} bytes from literals, at most ${MAX_BYTES} are allowed. Use shorter literals or fewer functions that lengthen texts, such as replaceAll and concat.`,
    )
  }
}

interface Item {
  readonly size: Size
  readonly names: readonly string[]
}

/**
 * Bounds values that are made in several steps: an alias, or a column of a subquery, may be made longer again by another
 * expression. Where a name comes from is not resolved; it is assumed that each expression with such a name uses the others.
 */
export class ComputedValues {
  readonly #items: Item[] = []
  readonly #aliases = new Set<string>()
  readonly #checks: (() => void)[] = []

  /** Names that a statement gives to its own values. */
  addAlias(name: string): void {
    this.#aliases.add(name)
  }

  add(item: Item): void {
    this.#items.push(item)
  }

  /** Runs a check when all aliases are known. */
  later(check: () => void): void {
    this.#checks.push(check)
  }

  /** Whether a name may be other than that of a documented column. */
  isComputed(name: string): boolean {
    return this.#aliases.has(name) || !/^\w+$/.test(name)
  }

  check(): void {
    for (const check of this.#checks) check()
    let growth = 1
    const base = { times: 1, bytes: 0 }
    for (const { size, names } of this.#items) {
      base.bytes = Math.max(base.bytes, size.bytes)
      if (names.some((name) => this.isComputed(name))) growth *= Math.max(1, size.times)
      else base.times = Math.max(base.times, size.times)
    }
    checkSize('the statement', multiplySize(base, growth))
  }
}
