import type { KVMap } from '../../schemas.ts'
import { serialize } from '../serialize.ts'

const MAX_CHARACTERS = 64 * 1024
const MAX_CAUSES = 5

/**
 * Text recorded for a thrown value: `String(error)` on the first line, then the stack and the chain of causes. It is never
 * empty, whatever was thrown: a run without a text for its error counts as successful.
 */
export function formatError(error: unknown): string {
  let text = formatOneError(error)
  let cause = error
  for (let depth = 0; depth < MAX_CAUSES; depth++) {
    cause = read(cause, 'cause')
    if (cause !== undefined) text += `\nCaused by: ${formatOneError(cause)}`
  }
  return text.slice(0, MAX_CHARACTERS)
}

function formatOneError(error: unknown): string {
  const title = getTitle(error)
  const stack = read(error, 'stack')
  if (!stack) return title
  // V8 repeats the title above the frames, other engines do not.
  return `${stack}`.startsWith(title) ? `${stack}` : `${title}\n${stack}`
}

function getTitle(error: unknown): string {
  try {
    const title = String(error)
    // An object without a text of its own is described by its members.
    return (title.startsWith('[object ') ? serialize(error) : title) || 'Error'
  } catch {
    return 'Error'
  }
}

/** A member of an error, also one of another realm; undefined where there is none, and where reading it throws. */
function read(error: unknown, key: 'stack' | 'cause'): unknown {
  try {
    return (error as Partial<Error> | null | undefined)?.[key]
  } catch {
    return undefined
  }
}

/** Converts arguments to inputs. All arguments are recorded. */
export function toInputs(args: readonly unknown[]): KVMap {
  const [first] = args
  if (args.length > 1) return { args }
  if (args.length === 0 || first === undefined) return {}
  if (first === null) return { inputs: null }
  return isPlainObject(first) ? first : { input: first }
}

/** Converts a result to outputs. */
export function toOutputs(result: unknown): KVMap {
  if (result === undefined) return {}
  return isPlainObject(result) ? { ...result } : { outputs: result }
}

/**
 * True for objects made by `{}` or `Object.create(null)`, in this realm or another; false for class instances, arrays
 * and maps.
 */
export function isPlainObject(value: unknown): value is KVMap {
  if (typeof value !== 'object' || value === null) return false
  if (Symbol.toStringTag in value || Symbol.iterator in value) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}
