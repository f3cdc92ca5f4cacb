import type { KVMap } from '../../schemas.ts'

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
