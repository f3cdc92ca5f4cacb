import { isObject } from '../../guards.ts'
import type { KVMap } from '../../schemas.ts'
import { serialize } from '../serialize.ts'

const MAX_CHARACTERS = 64 * 1024
/** Causes, and errors of an `AggregateError`, at any depth. */
const MAX_ERRORS = 10

/**
 * Text recorded for a thrown value: its title on the first line, then the stack, the chain of causes, and the errors of which
 * it consists.
 */
export function formatError(error: unknown): string {
  const parts: string[] = []
  const seen = new Set()
  const add = (label: string, value: unknown) => {
    if (parts.length >= MAX_ERRORS || (isObject(value) && seen.has(value))) return
    seen.add(value)
    parts.push(label + formatOneError(value))
    const [cause, errors] = [readMember(value, 'cause'), readMember(value, 'errors')]
    if (cause !== undefined) add('Caused by: ', cause)
    if (Array.isArray(errors)) for (const [index, one] of errors.entries()) add(`Error ${index + 1}: `, one)
  }
  add('', error)
  return parts.join('\n').slice(0, MAX_CHARACTERS)
}

function formatOneError(error: unknown): string {
  const title = getTitle(error)
  const stack = readMember(error, 'stack')
  if (typeof stack !== 'string') return title
  // V8 repeats the title above the frames, other engines do not.
  return stack.startsWith(title) ? stack : `${title}\n${stack}`
}

/** What the language prints, or JSON instead of `[object Object]` and of nothing. */
function getTitle(error: unknown): string {
  try {
    const text = String(error)
    if (text && !text.startsWith('[object ')) return text
  } catch {}
  return serialize(error)
}

function readMember(error: unknown, key: 'stack' | 'cause' | 'errors'): unknown {
  try {
    return error instanceof Error ? error[key as 'cause'] : undefined
  } catch {
    return undefined
  }
}

/** What is recorded in the place of a value whose promise was rejected. */
export function toErrorMarker(reason: unknown): { error: string } {
  return { error: getTitle(reason) }
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
  if (!isObject(value) || Symbol.toStringTag in value || Symbol.iterator in value) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}
