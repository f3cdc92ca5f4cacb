import { isObject } from '../../guards.ts'
import { isPlainObject, toErrorMarker } from './payloads.ts'

/** Maximum number of chunks kept per argument, because a source may be endless. */
const MAX_CHUNKS = 10_000

interface Consumption {
  /** The values taken from the source so far, or a placeholder when there are none. */
  seen(): unknown
  /** Stops observing the source. */
  stop(): void
}

type Step = (...args: unknown[]) => unknown
type Source = Record<PropertyKey, Step | undefined>

/**
 * Observes the values taken from an iterator or async iterable by own properties on the source that call the original
 * methods. No value is consumed by this, and the source keeps its identity.
 *
 * @returns `undefined` for other values, and for sources that cannot be extended
 */
function observeConsumption(value: object): Consumption | undefined {
  const source = value as Source
  const drives = typeof source.next === 'function' && (Symbol.iterator in source || Symbol.asyncIterator in source)
  const iterates = typeof source[Symbol.asyncIterator] === 'function' && !('getReader' in source)
  if ((!drives && !iterates) || !Object.isExtensible(source)) return undefined
  const chunks: unknown[] = []
  const watched: PropertyKey[] = []
  const define = (key: PropertyKey, member: Step) => {
    watched.push(key)
    Object.defineProperty(source, key, { value: member, configurable: true, writable: true })
  }
  if (drives) define('next', createObservedNext(source, chunks))
  if (iterates) {
    const iterate = source[Symbol.asyncIterator]!
    define(Symbol.asyncIterator, () => {
      const iterator = iterate.call(source) as Source
      return iterator === source ? iterator : createObservedIterator(iterator, chunks)
    })
  }
  return {
    seen: () => (chunks.length > 0 ? chunks : source),
    stop() {
      for (const key of watched) delete source[key]
    },
  }
}

function createObservedIterator(iterator: Source, chunks: unknown[]): Source {
  const watched: Source = { next: createObservedNext(iterator, chunks), [Symbol.asyncIterator]: () => watched }
  if (iterator.return) watched.return = iterator.return.bind(iterator)
  if (iterator.throw) watched.throw = iterator.throw.bind(iterator)
  return watched
}

function createObservedNext(iterator: Source, chunks: unknown[]): Step {
  const next = iterator.next!
  const note = (result: unknown) => {
    const { done, value } = result as IteratorResult<unknown>
    if (!done && chunks.length < MAX_CHUNKS) chunks.push(value)
  }
  return (...args) => {
    const result = next.apply(iterator, args)
    if (result instanceof Promise) result.then(note, () => {})
    else note(result)
    return result
  }
}

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
  readonly #readers = new Map<unknown, () => unknown>()
  readonly #stopObserving: (() => void)[] = []

  /** @returns `undefined` when all arguments are available already */
  static find(args: readonly unknown[], maxDepth: number): DeferredInputs | undefined {
    if (!args.some(isObject)) return undefined
    const deferred = new DeferredInputs(args, maxDepth)
    return deferred.#readers.size > 0 ? deferred : undefined
  }

  private constructor(args: readonly unknown[], maxDepth: number) {
    this.#args = args
    this.#maxDepth = maxDepth
    for (const arg of args) this.#follow(arg, 0)
  }

  #follow(value: unknown, depth: number): void {
    if (!isObject(value) || this.#readers.has(value)) return
    const consumption = value instanceof Promise ? undefined : observeConsumption(value)
    if (value instanceof Promise) this.#followPromise(value)
    else if (consumption) {
      this.#readers.set(value, consumption.seen)
      this.#stopObserving.push(consumption.stop)
    } else if (depth < this.#maxDepth) {
      for (const item of getItems(value)) this.#follow(item, depth + 1)
    }
  }

  #followPromise(promise: Promise<unknown>): void {
    let outcome: unknown = '[Promise]'
    this.#readers.set(promise, () => outcome)
    promise.then(
      (value) => {
        outcome = value
      },
      (reason) => {
        outcome = toErrorMarker(reason)
      },
    )
  }

  /** Returns the arguments with all values read by now, and stops observing them. */
  settle(): unknown[] {
    for (const stop of this.#stopObserving) stop()
    return this.#args.map((arg) => this.#replace(arg, 0))
  }

  #replace(value: unknown, depth: number): unknown {
    const read = this.#readers.get(value)
    if (read) return read()
    if (depth >= this.#maxDepth) return value
    if (Array.isArray(value)) return value.map((item) => this.#replace(item, depth + 1))
    if (!isPlainObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.#replace(item, depth + 1)]))
  }
}

function getItems(value: object): unknown[] {
  if (Array.isArray(value)) return value
  return isPlainObject(value) ? Object.values(value) : []
}
