/**
 * JSON text of any value: never throws, never changes the value, always valid JSON.
 *
 * What JSON has no word for is written so that a reader sees what it was: maps as objects, errors with stack and cause,
 * bytes as base64, cycles and failures as markers at their place. The test beside this file is the table.
 */
export function serialise(value: unknown): string {
  try {
    return JSON.stringify(new Walk(false).plain(value, 0)) ?? 'null'
  } catch {
    // A getter that answers differently each time can undo the check above: read everything once, into a copy.
    return JSON.stringify(new Walk(true).plain(value, 0)) ?? 'null'
  }
}

/** A deep copy made of plain JSON values. */
export function plainCopy<T>(value: T): T {
  return JSON.parse(serialise(value)) as T
}

const MAX_DEPTH = 100
/** Shared references are repeated, so a small object graph can describe an endless text. */
const MAX_NODES = 1_000_000
const MAX_BINARY_BYTES = 256 * 1024

/** Objects whose content is not theirs to show, or cannot be looked at without using it up. */
const OPAQUE = new Set(
  (
    'Promise WeakMap WeakSet WeakRef Headers Request Response FormData ReadableStream WritableStream TransformStream ' +
    'AbortSignal AbortController Generator AsyncGenerator MessagePort Blob File SharedArrayBuffer'
  ).split(' '),
)

/**
 * Returns parts that JSON can print as they are untouched, and builds new ones only on the way to what it cannot: the
 * common payload costs one look per node and no allocation.
 */
class Walk {
  readonly #copyAll: boolean
  readonly #ancestors: object[] = []
  #nodes = 0

  constructor(copyAll: boolean) {
    this.#copyAll = copyAll
  }

  plain(value: unknown, depth: number): unknown {
    if (typeof value === 'bigint') return value.toString()
    if (typeof value !== 'object' || value === null) return value
    if (this.#ancestors.includes(value)) return { result: '[Circular]' }
    if (depth > MAX_DEPTH) return '[MaxDepth]'
    if (++this.#nodes > MAX_NODES) return '[Truncated]'
    this.#ancestors.push(value)
    try {
      return Array.isArray(value) ? this.#array(value, depth) : this.#object(value, depth)
    } catch (error) {
      return unserializable(error)
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
      const known = this.#known(value, depth)
      if (known !== undefined) return known.plain
    }
    if ('toJSON' in value && typeof value.toJSON === 'function') {
      const shown: unknown = value.toJSON()
      if (shown === value) return this.#fields(value, depth, true)
      // Printing calls `toJSON` again on whatever it meets, so what this one answered must become plain data now.
      return typeof shown === 'object' && shown !== null && !Array.isArray(shown)
        ? this.#fields(shown, depth, true)
        : this.plain(shown, depth + 1)
    }
    return this.#fields(value, depth, this.#copyAll)
  }

  #fields(value: object, depth: number, mustCopy: boolean): object {
    const keys = Object.keys(value)
    const source = value as Record<string, unknown>
    let copy: Record<string, unknown> | undefined = mustCopy ? {} : undefined
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at]!
      const plain = this.#read(source, key, depth)
      if (!copy && differs(source, key, plain)) {
        copy = {}
        for (const before of keys.slice(0, at)) put(copy, before, source[before])
      }
      // A copied `toJSON` would be called once more by the printer.
      if (copy && typeof plain !== 'function') put(copy, key, plain)
    }
    return copy ?? value
  }

  /** The plain form of one member; a member that cannot be read costs itself and nothing else. */
  #read(holder: object, key: PropertyKey, depth: number): unknown {
    try {
      return this.plain((holder as Record<PropertyKey, unknown>)[key], depth + 1)
    } catch (error) {
      return unserializable(error)
    }
  }

  /** Kinds with a form of their own; `undefined` for an ordinary instance, which shows its enumerable fields. */
  #known(value: object, depth: number): { plain: unknown } | undefined {
    if (value instanceof Date) return { plain: Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString() }
    if (value instanceof RegExp) return { plain: value.toString() }
    if (value instanceof Map) return { plain: this.#map(value, depth) }
    if (value instanceof Set) return { plain: this.#array([...value], depth) }
    if (value instanceof ArrayBuffer) return { plain: binary('ArrayBuffer', new Uint8Array(value)) }
    if (ArrayBuffer.isView(value)) {
      const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
      return { plain: binary(value.constructor.name, bytes) }
    }
    if (value instanceof Error && !('toJSON' in value)) return { plain: this.#error(value, depth) }
    const tag = Object.prototype.toString.call(value).slice(8, -1)
    return OPAQUE.has(tag) || tag.endsWith(' Iterator') ? { plain: `[${tag}]` } : undefined
  }

  #map(map: Map<unknown, unknown>, depth: number): unknown {
    const entries = [...map]
    if (!entries.every(([key]) => typeof key === 'string')) return this.#array(entries, depth)
    const copy: Record<string, unknown> = {}
    for (const [key, item] of entries) put(copy, key as string, this.plain(item, depth + 1))
    return copy
  }

  #error(error: Error, depth: number): object {
    const shown: Record<string, unknown> = { name: error.name, message: error.message, stack: error.stack }
    if (error.cause !== undefined) shown.cause = this.#read(error, 'cause', depth)
    if (error instanceof AggregateError) shown.errors = this.#read(error, 'errors', depth)
    for (const key of Object.keys(error)) put(shown, key, this.#read(error, key, depth))
    return shown
  }
}

function differs(holder: Record<string, unknown>, key: string, plain: unknown): boolean {
  try {
    return plain !== holder[key]
  } catch {
    return true
  }
}

/** Plain assignment to `__proto__` would change the copy's prototype and lose the user's key. */
function put(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value
  else Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}

function unserializable(error: unknown): string {
  try {
    return `[Unserializable: ${error instanceof Error ? error.message : String(error)}]`
  } catch {
    return '[Unserializable]'
  }
}

function binary(type: string, bytes: Uint8Array): object {
  const shown = bytes.subarray(0, MAX_BINARY_BYTES)
  const truncated = shown.length < bytes.length ? { truncated: true } : {}
  return { type, length: bytes.length, base64: base64(shown), ...truncated }
}

function base64(bytes: Uint8Array): string {
  if (globalThis.Buffer) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  let text = ''
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return btoa(text)
}
