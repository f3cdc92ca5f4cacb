import { isPlainObject } from './inputs.ts'
import { recordConsumption } from './record-consumption.ts'

/**
 * Arguments that are not available yet: promises and iterators. The run is posted at once with a placeholder for them.
 * The values that promises resolved to and iterators yielded are sent with the end of the run.
 *
 * The arguments are passed on unchanged: a proxy would break `instanceof`, private members and streams with a single
 * reader. A `ReadableStream` cannot be observed without taking its only reader, so it keeps the placeholder.
 */
export class DeferredInputs {
  readonly #args: readonly unknown[]
  readonly #maxDepth: number
  readonly #known = new Map<unknown, () => unknown>()
  readonly #letGo: (() => void)[] = []

  /** @returns `undefined` when all arguments are available already */
  static among(args: readonly unknown[], maxDepth: number): DeferredInputs | undefined {
    if (!args.some((arg) => typeof arg === 'object' && arg !== null)) return undefined
    const deferred = new DeferredInputs(args, maxDepth)
    return deferred.#known.size > 0 ? deferred : undefined
  }

  private constructor(args: readonly unknown[], maxDepth: number) {
    this.#args = args
    this.#maxDepth = maxDepth
    for (const arg of args) this.#follow(arg, 0)
  }

  #follow(value: unknown, depth: number): void {
    if (typeof value !== 'object' || value === null || this.#known.has(value)) return
    const consumption = value instanceof Promise ? undefined : recordConsumption(value)
    if (value instanceof Promise) this.#followPromise(value)
    else if (consumption) {
      this.#known.set(value, consumption.seen)
      this.#letGo.push(consumption.stop)
    } else if (depth < this.#maxDepth) {
      for (const item of itemsOf(value)) this.#follow(item, depth + 1)
    }
  }

  #followPromise(promise: Promise<unknown>): void {
    let outcome: unknown = '[Promise]'
    this.#known.set(promise, () => outcome)
    promise.then(
      (value) => {
        outcome = value
      },
      (reason) => {
        outcome = { error: String(reason) }
      },
    )
  }

  /** Returns the arguments with all values known by now, and stops observing them. */
  settle(): unknown[] {
    for (const stop of this.#letGo) stop()
    return this.#args.map((arg) => this.#replaced(arg, 0))
  }

  #replaced(value: unknown, depth: number): unknown {
    const known = this.#known.get(value)
    if (known) return known()
    if (depth >= this.#maxDepth) return value
    if (Array.isArray(value)) return value.map((item) => this.#replaced(item, depth + 1))
    if (!isPlainObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.#replaced(item, depth + 1)]))
  }
}

function itemsOf(value: object): unknown[] {
  if (Array.isArray(value)) return value
  return isPlainObject(value) ? Object.values(value) : []
}
