import { isObject, isRecord } from '../guards.ts'

/**
 * Serializes any value to JSON text: never throws, never changes the value, always valid JSON.
 *
 * Values that JSON cannot represent are converted: maps to objects, errors with stack and cause, bytes to base64,
 * cycles and failures to markers in their place. The test beside this file lists all cases.
 */
export function serialize(value: unknown): string {
  try {
    return JSON.stringify(new Serializer(false).plain(value, 0)) ?? 'null'
  } catch {
    // A getter that returns different values can invalidate the check above: read everything once, into a copy.
    return JSON.stringify(new Serializer(true).plain(value, 0)) ?? 'null'
  }
}

/** Deep copy made of plain JSON values. */
export function toPlainCopy<T>(value: T): T {
  return JSON.parse(serialize(value)) as T
}

const MAX_DEPTH = 100
/** Shared references are repeated, so a small object graph can produce an endless text. */
const MAX_NODES = 1_000_000
const MAX_BINARY_BYTES = 256 * 1024
const MAX_NUMBERS = 10_000

/** Typed arrays of numbers. The others hold bytes. */
const NUMBERS = /^(Int|Float|Big|Uint(16|32))/
const SECRET_HEADER = /auth|cookie|key|token|secret/i

/**
 * Returns parts that `JSON.stringify` can handle untouched, and copies only the path to parts that it cannot: a common
 * payload costs one check per node and no allocation.
 */
class Serializer {
  readonly #copyAll: boolean
  readonly #ancestors: object[] = []
  #nodes = 0

  constructor(copyAll: boolean) {
    this.#copyAll = copyAll
  }

  plain(value: unknown, depth: number): unknown {
    if (!isObject(value)) return toPlainScalar(value)
    if (this.#ancestors.includes(value)) return { result: '[Circular]' }
    if (depth > MAX_DEPTH) return '[MaxDepth]'
    if (++this.#nodes > MAX_NODES) return '[Truncated]'
    this.#ancestors.push(value)
    try {
      return Array.isArray(value) ? this.#array(value, depth) : this.#object(value, depth)
    } catch (error) {
      return toErrorMarker(error)
    } finally {
      this.#ancestors.pop()
    }
  }

  #array(items: readonly unknown[], depth: number): unknown[] {
    let copy = this.#copyAll ? items.slice() : undefined
    for (let index = 0; index < items.length; index++) {
      const plain = this.#read(items, index, depth)
      if (copy) copy[index] = plain
      else if (plain !== items[index]) {
        copy = items.slice()
        copy[index] = plain
      }
    }
    return copy ?? (items as unknown[])
  }

  #object(value: object, depth: number): unknown {
    const prototype: unknown = Object.getPrototypeOf(value)
    const isPlain = prototype === Object.prototype || prototype === null
    if (!isPlain) {
      const converted = this.#convertBuiltin(value, depth)
      if (converted) return converted.plain
    }
    if ('toJSON' in value && typeof value.toJSON === 'function') {
      const shown: unknown = value.toJSON()
      if (shown === value) return this.#fields(value, depth, true)
      // `JSON.stringify` would call `toJSON` again on nested values, so the result must become plain data now.
      return isRecord(shown) ? this.#fields(shown, depth, true) : this.plain(shown, depth + 1)
    }
    return this.#fields(value, depth, this.#copyAll)
  }

  #fields(value: object, depth: number, mustCopy: boolean): object {
    const keys = Object.keys(value)
    const source = value as Record<string, unknown>
    let copy: Record<string, unknown> | undefined = mustCopy ? {} : undefined
    // An index instead of an iterator: this loop runs for every member of every payload.
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index]!
      const plain = this.#read(source, key, depth)
      if (!copy && differs(source, key, plain)) {
        copy = {}
        for (const before of keys.slice(0, index)) setMember(copy, before, source[before])
      }
      // `JSON.stringify` would call a copied `toJSON` once more.
      if (copy && typeof plain !== 'function') setMember(copy, key, plain)
    }
    return copy ?? value
  }

  /** Plain form of one member. A member that cannot be read is replaced by a marker; the others are kept. */
  #read(holder: object, key: PropertyKey, depth: number): unknown {
    try {
      return this.plain((holder as Record<PropertyKey, unknown>)[key], depth + 1)
    } catch (error) {
      return toErrorMarker(error)
    }
  }

  /** Converts built-in types. `undefined` for an ordinary instance, which shows its enumerable fields. */
  #convertBuiltin(value: object, depth: number): { plain: unknown } | undefined {
    if (value instanceof Date) return { plain: Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString() }
    if (value instanceof RegExp) return { plain: value.toString() }
    if (value instanceof Map) return { plain: this.#map(value, depth) }
    if (value instanceof ArrayBuffer) return { plain: toBinaryMarker('ArrayBuffer', new Uint8Array(value)) }
    if (ArrayBuffer.isView(value)) {
      const type = value.constructor.name
      if (NUMBERS.test(type)) return { plain: this.#numbers(type, value as Float64Array, depth) }
      return { plain: toBinaryMarker(type, new Uint8Array(value.buffer, value.byteOffset, value.byteLength)) }
    }
    // By their names, because those of another realm are instances of other classes.
    const tag = Object.prototype.toString.call(value).slice(8, -1)
    if (tag === 'Set') return { plain: this.#array([...(value as Set<unknown>)], depth) }
    if ((value instanceof Error || tag === 'Error') && !('toJSON' in value)) {
      return { plain: this.#error(value as Error, depth) }
    }
    // A boxed text or number is what JSON makes of it.
    if (tag === 'Object' || 'toJSON' in value || typeof value.valueOf?.() !== 'object') return undefined
    const isOfPlatform = typeof (globalThis as Record<string, unknown>)[tag] === 'function'
    if (isOfPlatform && 'entries' in value) {
      const entries = [...(value as Headers)]
      return { plain: this.#map(tag === 'Headers' ? entries.map(hideSecret) : entries, depth) }
    }
    // The content of promises, streams and responses is private, or would be consumed by reading it; so is that of iterators.
    return isOfPlatform || Object.keys(value).length === 0 ? { plain: `[${tag}]` } : undefined
  }

  #numbers(type: string, numbers: Float64Array, depth: number): unknown {
    const { length } = numbers
    const values = this.#array([...numbers.subarray(0, MAX_NUMBERS)], depth)
    return length > MAX_NUMBERS ? { type, length, values, truncated: true } : values
  }

  /** An object, or the entries where keys are no texts or repeat. */
  #map(map: Iterable<[unknown, unknown]>, depth: number): unknown {
    const entries = [...map]
    const keys = new Set(entries.map(([key]) => typeof key === 'string' && key))
    if (keys.size < entries.length || keys.has(false)) return this.#array(entries, depth)
    const copy: Record<string, unknown> = {}
    for (const [key, item] of entries) setMember(copy, key as string, this.plain(item, depth + 1))
    return copy
  }

  #error(error: Error, depth: number): object {
    const shown: Record<string, unknown> = { name: error.name, message: error.message, stack: error.stack }
    if (error.cause !== undefined) shown.cause = this.#read(error, 'cause', depth)
    if (error instanceof AggregateError) shown.errors = this.#read(error, 'errors', depth)
    for (const key of Object.keys(error)) setMember(shown, key, this.#read(error, key, depth))
    return shown
  }
}

/** Text for what JSON has no form of. Functions and `undefined` are left out, as in JSON. */
function toPlainScalar(value: unknown): unknown {
  const isText =
    typeof value === 'number' ? !Number.isFinite(value) : typeof value === 'bigint' || typeof value === 'symbol'
  return isText ? String(value) : value
}

const hideSecret = ([name, value]: [string, string]): [string, string] => [
  name,
  SECRET_HEADER.test(name) ? '[SECRET_DETECTED]' : value,
]

function differs(holder: Record<string, unknown>, key: string, plain: unknown): boolean {
  try {
    return plain !== holder[key]
  } catch {
    return true
  }
}

/** Plain assignment to `__proto__` would change the copy's prototype and lose the user's key. */
function setMember(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value
  else Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}

function toErrorMarker(error: unknown): string {
  try {
    return `[Unserializable: ${error instanceof Error ? error.message : String(error)}]`
  } catch {
    return '[Unserializable]'
  }
}

function toBinaryMarker(type: string, bytes: Uint8Array): object {
  const shown = bytes.subarray(0, MAX_BINARY_BYTES)
  const truncated = shown.length < bytes.length ? { truncated: true } : {}
  return { type, length: bytes.length, base64: encodeBase64(shown), ...truncated }
}

function encodeBase64(bytes: Uint8Array): string {
  if (globalThis.Buffer) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  let text = ''
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return btoa(text)
}
