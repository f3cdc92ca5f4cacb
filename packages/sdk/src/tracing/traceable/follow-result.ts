import { isObject, isThenable } from '../../guards.ts'
import type { Recording } from './recording.ts'
import { getBoundMember, isGenerator, isStream, tapGenerator, tapStream } from './streams.ts'

/**
 * Returns the result for the caller of a traced function: an observed stream, generator or thenable of the same kind,
 * or else a promise of the value.
 */
export function followResult(result: unknown, recording: Recording, streamKey?: string): unknown {
  if (result instanceof Promise && Object.getPrototypeOf(result) === Promise.prototype) {
    return followPromise(result, recording, streamKey)
  }
  if (isThenable(result)) return followThenable(result, recording, streamKey)
  if (isStream(result)) return tapStream(result, recording)
  if (isGenerator(result)) return tapGenerator(result, recording)
  return followValue(result, recording, streamKey)
}

/** With tracing off the kinds of result stay the same, so that enabling tracing changes nothing for the caller. */
export function callUntraced(task: () => unknown): unknown {
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
  return followValue(value, recording, streamKey)
}

async function followValue(value: unknown, recording: Recording, streamKey?: string): Promise<unknown> {
  if (isStream(value)) return tapStream(value, recording)
  if (isGenerator(value)) return tapAwaitedGenerator(value, recording)
  if (streamKey && isObject(value)) {
    const inner = value[streamKey]
    if (isStream(inner)) return replaceMember(value, streamKey, tapStream(inner, recording))
  }
  // Awaits only if there is a delivery to wait for: an `await` would delay every traced call by a turn.
  const delivery = recording.succeed(value)
  if (delivery) await delivery
  return value
}

function tapAwaitedGenerator(value: Generator, recording: Recording): Generator {
  // An async function cannot resolve with the awaitable form, so it is unwrapped.
  return tapGenerator(value, recording)[Symbol.iterator]() as Generator
}

/** Proxy of an object with one member replaced. */
function replaceMember(value: object, key: string, member: object): object {
  return new Proxy(value, { get: (target, name) => (name === key ? member : getBoundMember(target, name)) })
}

/**
 * Observes a thenable that is more than a promise, as API clients return it. `then`, `catch` and `finally` use the
 * traced promise, all other members the original. It is observed when first awaited, because awaiting starts some of
 * them.
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
      const member = getBoundMember(target, key)
      return typeof member === 'function' ? (...args: unknown[]) => followAnswer(member(...args), recording) : member
    },
  })
}

/** The answer of a member that returns a promise (instead of awaiting the object) ends the run, too. */
function followAnswer(answer: unknown, recording: Recording): unknown {
  if (answer instanceof Promise) {
    answer.then(
      (value) => recording.succeed(isObject(value) && 'data' in value ? value.data : value),
      (error) => recording.fail(error),
    )
  }
  return answer
}
