import { isObject } from '../../guards.ts'
import { runInContext } from '../context.ts'
import type { Recording } from './recording.ts'

/** What happens to a stream; a recording is one. */
export type StreamObserver = Pick<Recording, 'runTree' | 'addChunk' | 'finishStream' | 'fail' | 'cancel'>

/** Observes a stream or async iterable while it is read: nothing is pulled that the consumer did not request. */
export function tapStream(value: object, recording: StreamObserver): object {
  return isReadableStream(value) ? tapReadableStream(value, recording) : tapAsyncIterable(value, recording)
}

export function isStream(value: unknown): value is object {
  return isObject(value) && (Symbol.asyncIterator in value || isReadableStream(value))
}

/** A generator object: an iterator that iterates itself, unlike an array or a map. */
export function isGenerator(value: unknown): value is Generator {
  return isObject(value) && Symbol.iterator in value && typeof value.next === 'function'
}

export function isReadableStream(value: object): value is ReadableStream {
  return 'getReader' in value && typeof value.getReader === 'function' && 'pipeThrough' in value
}

function tapReadableStream(source: ReadableStream, recording: StreamObserver): ReadableStream {
  const reader = source.getReader()
  const tapped = new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await runInContext(recording.runTree, () => reader.read())
          if (done) {
            await recording.finishStream()
            controller.close()
          } else {
            recording.addChunk(value)
            controller.enqueue(value)
          }
        } catch (error) {
          recording.fail(error)
          controller.error(error)
        }
      },
      async cancel(reason) {
        recording.cancel()
        await reader.cancel(reason)
      },
    },
    // Without its own buffer it pulls only when the consumer reads.
    { highWaterMark: 0 },
  )
  return Symbol.asyncIterator in source && !(Symbol.asyncIterator in tapped) ? makeIterable(tapped) : tapped
}

/** Some libraries make their streams iterable on platforms where streams are not. */
export function makeIterable(stream: ReadableStream): ReadableStream {
  return Object.defineProperty(stream, Symbol.asyncIterator, {
    value: async function* () {
      const reader = stream.getReader()
      try {
        for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
      } finally {
        await reader.cancel()
      }
    },
  })
}

/**
 * Proxy of an async iterable whose iteration is observed; for a generator also when driven by `next`. All other members
 * are the source's own, so that a library's additions to its streams keep working.
 */
function tapAsyncIterable(source: object, recording: StreamObserver): object {
  watchNodeStream(source, recording)
  const drives = 'next' in source && typeof source.next === 'function'
  const tapped = drives ? tapIterator(source as unknown as AsyncIterator<unknown>, recording) : undefined
  // Properties that others define on the stream (such as the recording of deferred inputs) must override those below.
  const own: Record<PropertyKey, unknown> = {}
  return new Proxy(source, {
    defineProperty: (_, key, descriptor) => Reflect.defineProperty(own, key, descriptor),
    deleteProperty: (_, key) => Reflect.deleteProperty(own, key),
    set: (target, key, value) => Reflect.set(target, key, value, target),
    get(target, key) {
      if (Object.hasOwn(own, key)) return own[key]
      if (key === Symbol.asyncIterator) {
        return () => tapped ?? tapIterator(getIterator(target as AsyncIterable<unknown>, recording), recording)
      }
      if (tapped && (key === 'next' || key === 'return' || key === 'throw')) return tapped[key]
      return getBoundMember(target, key)
    },
  })
}

function getIterator(source: AsyncIterable<unknown>, { runTree }: StreamObserver): AsyncIterator<unknown> {
  return runInContext(runTree, () => source[Symbol.asyncIterator]())
}

/** A member of the source, bound to it: private members and accessors reject any other `this`. */
export function getBoundMember(target: object, key: PropertyKey): unknown {
  const value: unknown = Reflect.get(target, key, target)
  return typeof value === 'function' && key !== 'constructor' ? value.bind(target) : value
}

function tapIterator(source: AsyncIterator<unknown>, recording: StreamObserver) {
  const follow = async (step: () => Promise<IteratorResult<unknown>>): Promise<IteratorResult<unknown>> => {
    try {
      const result = await runInContext(recording.runTree, step)
      if (result.done) await recording.finishStream()
      else recording.addChunk(result.value)
      return result
    } catch (error) {
      recording.fail(error)
      throw error
    }
  }
  const tapped = {
    next: (...args: [] | [unknown]) => follow(() => source.next(...args)),
    async return(value?: unknown): Promise<IteratorResult<unknown>> {
      try {
        const result = await runInContext(recording.runTree, () => source.return?.(value))
        return result ?? { done: true, value }
      } catch (error) {
        recording.fail(error)
        throw error
      } finally {
        recording.cancel()
      }
    },
    throw: (error?: unknown) => follow(() => (source.throw ? source.throw(error) : Promise.reject(error))),
    [Symbol.asyncIterator]: () => tapped,
  }
  return tapped
}

interface NodeStream {
  once(event: 'close', listener: () => void): void
  pipe: unknown
  errored?: Error | null
  readableEnded?: boolean
}

/**
 * A Node stream may be piped or listened to instead of iterated. Its end is detected by a listener, which reads
 * nothing.
 */
function watchNodeStream(source: object, recording: StreamObserver): void {
  if (!('pipe' in source && 'once' in source && typeof source.once === 'function')) return
  const stream = source as NodeStream
  stream.once('close', () => {
    if (stream.errored) recording.fail(stream.errored)
    else if (stream.readableEnded) recording.finishStream()
    else recording.cancel()
  })
}

/**
 * Observes a generator while it runs. Callers of a traceable expect a promise and callers of a generator function
 * expect a generator, so the result is both.
 */
export function tapGenerator(source: Generator, recording: Recording): Generator & PromiseLike<Generator> {
  const follow = (step: () => IteratorResult<unknown>): IteratorResult<unknown> => {
    try {
      const result = runInContext(recording.runTree, step)
      if (!result.done) recording.addChunk(result.value)
      else {
        if (result.value !== undefined) recording.addChunk(result.value)
        recording.finishStream()
      }
      return result
    } catch (error) {
      recording.fail(error)
      throw error
    }
  }
  const tapped = {
    next: (...args: [] | [unknown]) => follow(() => source.next(...(args as [unknown]))),
    return(value: unknown): IteratorResult<unknown> {
      try {
        return runInContext(recording.runTree, () => source.return(value))
      } catch (error) {
        recording.fail(error)
        throw error
      } finally {
        recording.cancel()
      }
    },
    throw: (error: unknown) => follow(() => source.throw(error)),
    [Symbol.iterator]: () => tapped,
    [Symbol.toStringTag]: 'Generator',
    // Newer platforms require more members than iterating needs.
  } as unknown as Generator
  // The awaited one must not be awaitable again, or awaiting it would never end.
  // biome-ignore lint/suspicious/noThenProperty: being awaitable is the purpose
  return { ...tapped, [Symbol.iterator]: () => tapped, then: (ok, failed) => Promise.resolve(tapped).then(ok, failed) }
}
