import { isPlainObject } from './inputs.ts'

/**
 * Arguments that are not there yet. The run is posted at once, with a word in their place; what promises resolved to is
 * sent with the run's end. The arguments themselves are passed on untouched: a stand-in would break `instanceof`,
 * private members and streams that allow one reader.
 */
export class DeferredInputs {
  readonly #args: readonly unknown[]
  readonly #maxDepth: number
  readonly #settled = new Map<unknown, unknown>()

  /** @returns `undefined` when every argument is there already */
  static among(args: readonly unknown[], maxDepth: number): DeferredInputs | undefined {
    const deferred = new DeferredInputs(args, maxDepth)
    return deferred.#settled.size > 0 ? deferred : undefined
  }

  private constructor(args: readonly unknown[], maxDepth: number) {
    this.#args = args
    this.#maxDepth = maxDepth
    for (const arg of args) this.#follow(arg, 0)
  }

  #follow(value: unknown, depth: number): void {
    if (value instanceof Promise) {
      this.#settled.set(value, '[Promise]')
      value.then(
        (result) => this.#settled.set(value, result),
        (reason) => this.#settled.set(value, { error: String(reason) }),
      )
    } else if (depth < this.#maxDepth) {
      for (const item of itemsOf(value)) this.#follow(item, depth + 1)
    }
  }

  /** The arguments as far as they are known now. */
  current(): unknown[] {
    return this.#args.map((arg) => this.#known(arg, 0))
  }

  #known(value: unknown, depth: number): unknown {
    if (this.#settled.has(value)) return this.#settled.get(value)
    if (depth >= this.#maxDepth) return value
    if (Array.isArray(value)) return value.map((item) => this.#known(item, depth + 1))
    if (!isPlainObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.#known(item, depth + 1)]))
  }
}

function itemsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return isPlainObject(value) ? Object.values(value) : []
}
