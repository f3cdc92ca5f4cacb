import type { KVMap } from '../../schemas.ts'

const MAX_CHARACTERS = 64 * 1024
const MAX_CAUSES = 5

/** Text recorded for a thrown value: `String(error)` on the first line, then the stack and the chain of causes. */
export function formatError(error: unknown): string {
  const parts: string[] = []
  let current = error
  for (let depth = 0; depth <= MAX_CAUSES && current !== undefined; depth++) {
    parts.push((depth > 0 ? 'Caused by: ' : '') + formatOneError(current))
    current = getCause(current)
  }
  return parts.join('\n').slice(0, MAX_CHARACTERS)
}

function formatOneError(error: unknown): string {
  const title = getTitle(error)
  const stack = getStack(error)
  if (!stack) return title
  // V8 repeats the title above the frames, other engines do not.
  return stack.startsWith(title) ? stack : `${title}\n${stack}`
}

function getTitle(error: unknown): string {
  try {
    return String(error)
  } catch {
    return 'Error'
  }
}

function getStack(error: unknown): string | undefined {
  try {
    return error instanceof Error && typeof error.stack === 'string' ? error.stack : undefined
  } catch {
    return undefined
  }
}

function getCause(error: unknown): unknown {
  try {
    return error instanceof Error ? error.cause : undefined
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
