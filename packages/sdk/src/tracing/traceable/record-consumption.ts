/** Maximum number of chunks kept per argument, because a source may be endless. */
const MAX_CHUNKS = 10_000

export interface Consumption {
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
export function recordConsumption(value: object): Consumption | undefined {
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
  if (drives) define('next', watchedNext(source, chunks))
  if (iterates) {
    const iterate = source[Symbol.asyncIterator]!
    define(Symbol.asyncIterator, () => {
      const iterator = iterate.call(source) as Source
      return iterator === source ? iterator : watchedIterator(iterator, chunks)
    })
  }
  return {
    seen: () => (chunks.length > 0 ? chunks : source),
    stop() {
      for (const key of watched) delete source[key]
    },
  }
}

function watchedIterator(iterator: Source, chunks: unknown[]): Source {
  const watched: Source = { next: watchedNext(iterator, chunks), [Symbol.asyncIterator]: () => watched }
  if (iterator.return) watched.return = iterator.return.bind(iterator)
  if (iterator.throw) watched.throw = iterator.throw.bind(iterator)
  return watched
}

function watchedNext(iterator: Source, chunks: unknown[]): Step {
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
