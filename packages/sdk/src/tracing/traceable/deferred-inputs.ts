import { isPlainObject } from './inputs.ts'
import { recordConsumption } from './record-consumption.ts'

/**
 * Arguments that are not there yet: promises, and iterators of either kind. The run is posted at once, with a word in
 * their place; what promises resolved to and iterators were asked for is sent with the run's end.
 *
 * The arguments keep their identity: a stand-in would break `instanceof`, private members and streams that allow one
 * reader. A `ReadableStream` cannot be watched without taking its only reader, so it stays a word.
 */
export class DeferredInputs {
  readonly #args: readonly unknown[]
  readonly #maxDepth: number
  readonly #known = new Map<unknown, () => unknown>()
  readonly #letGo: (() => void)[] = []

  /** @returns `undefined` when every argument is there already */
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

  /** The arguments as far as they are known now; from here on they are no longer watched. */
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
