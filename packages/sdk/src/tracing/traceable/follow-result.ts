import type { Recording } from './recording.ts'
import { isGenerator, isStream, memberOf, tapGenerator, tapStream } from './streams.ts'

/**
 * What the caller of a traced function gets for its result: the same stream, generator or thenable, followed, or else a
 * promise of the value itself.
 */
export function followResult(result: unknown, recording: Recording, streamKey?: string): unknown {
  if (result instanceof Promise && Object.getPrototypeOf(result) === Promise.prototype) {
    return followPromise(result, recording, streamKey)
  }
  if (isThenable(result)) return followThenable(result, recording, streamKey)
  if (isStream(result)) return tapStream(result, recording)
  if (isGenerator(result)) return tapGenerator(result, recording)
  return settled(result, recording, streamKey)
}

/** With tracing off the kinds stay the same, so that turning it on changes nothing for the caller. */
export function untraced(task: () => unknown): unknown {
  try {
    const result = task()
    return isThenable(result) || isStream(result) || isGenerator(result) ? result : Promise.resolve(result)
  } catch (error) {
    return Promise.reject(error)
  }
}

async function followPromise(promise: PromiseLike<unknown>, recording: Recording, streamKey?: string) {
  let value: unknown
  try {
    value = await promise
  } catch (error) {
    await recording.fail(error)
    throw error
  }
  return settled(value, recording, streamKey)
}

async function settled(value: unknown, recording: Recording, streamKey?: string): Promise<unknown> {
  if (isStream(value)) return tapStream(value, recording)
  if (isGenerator(value)) return tapAwaitedGenerator(value, recording)
  if (streamKey && typeof value === 'object' && value !== null) {
    const inner: unknown = (value as Record<string, unknown>)[streamKey]
    if (isStream(inner)) return withMember(value, streamKey, tapStream(inner, recording))
  }
  // No `await` unless there is something to wait for: it would cost every traced call a turn.
  const delivery = recording.succeed(value)
  if (delivery) await delivery
  return value
}

function tapAwaitedGenerator(value: Generator, recording: Recording): Generator {
  // An async function cannot resolve with the awaitable form, so unwrap it.
  return tapGenerator(value, recording)[Symbol.iterator]() as Generator
}

/** The object to look at, with one member exchanged. */
function withMember(value: object, key: string, member: object): object {
  return new Proxy(value, { get: (target, name) => (name === key ? member : memberOf(target, name)) })
}

/**
 * A thenable that is more than a promise, as API clients return: `then`, `catch` and `finally` lead to the traced
 * promise, everything else to the original. Followed when first awaited, because awaiting is what starts some of them.
 */
function followThenable(original: PromiseLike<unknown>, recording: Recording, streamKey?: string): unknown {
  let traced: Promise<unknown> | undefined
  const promise = () => {
    traced ??= followPromise(original, recording, streamKey)
    return traced
  }
  return new Proxy(original, {
    get(target, key) {
      if (key === 'then' || key === 'catch' || key === 'finally') return promise()[key].bind(promise())
      const member = memberOf(target, key)
      return typeof member === 'function' ? (...args: unknown[]) => watch(member(...args), recording) : member
    },
  })
}

/** Whoever asks such an object for its answer by another way than awaiting it ends the run with that answer. */
function watch(answer: unknown, recording: Recording): unknown {
  if (answer instanceof Promise) {
    answer.then(
      (value) => recording.succeed(isObject(value) && 'data' in value ? value.data : value),
      (error) => recording.fail(error),
    )
  }
  return answer
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (isObject(value) || typeof value === 'function') && 'then' in value && typeof value.then === 'function'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
