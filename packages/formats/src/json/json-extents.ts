/** Reads JSON as bytes without building objects: values are found by their boundaries, and numbers keep all digits. */

const QUOTE = 34
const COMMA = 44
const COLON = 58
const OPEN_LIST = 91
const BACKSLASH = 92
const CLOSE_LIST = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null'

/** End of a value, and the number of its members. */
export interface Extent {
  /** Offset after the last byte. */
  end: number
  /** Members of an object or list; 0 for other values. */
  count: number
}

/** A member of an object (with the offset of its key's opening quote) or of a list (with its index). */
export interface Member extends Extent {
  /** Offset of the key for objects, index for lists. */
  key: number
  start: number
}

export function kindAt(bytes: Uint8Array, start: number): JsonKind {
  switch (bytes[start]) {
    case OPEN_OBJECT:
      return 'object'
    case OPEN_LIST:
      return 'array'
    case QUOTE:
      return 'string'
    case 116: // t
    case 102: // f
      return 'boolean'
    case 110: // n
      return 'null'
    default:
      return 'number'
  }
}

export function skipSpace(bytes: Uint8Array, at: number): number {
  while (bytes[at]! <= 32) at++ // undefined compares false, so the end of the bytes ends the loop
  return at
}

/** @param at  offset of the opening quote @returns the offset after the closing quote */
export function skipString(bytes: Uint8Array, at: number): number {
  for (let i = at + 1; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === BACKSLASH) i++
    else if (byte === QUOTE) return i + 1
  }
  return bytes.length
}

/** Extent of the value that starts at `at`. */
export function extentAt(bytes: Uint8Array, at: number): Extent {
  const first = bytes[at]
  if (first === QUOTE) return { end: skipString(bytes, at), count: 0 }
  if (first === OPEN_OBJECT || first === OPEN_LIST) return containerExtent(bytes, at)
  let end = at
  while (end < bytes.length && !endsScalar(bytes[end]!)) end++
  return { end, count: 0 }
}

/** Members of the object or list that starts at `at`, in order. */
export function* membersAt(bytes: Uint8Array, at: number): Generator<Member> {
  const isObject = bytes[at] === OPEN_OBJECT
  let position = skipSpace(bytes, at + 1)
  for (let index = 0; position < bytes.length; index++) {
    if (bytes[position] === CLOSE_OBJECT || bytes[position] === CLOSE_LIST) return
    let key = index
    if (isObject) {
      key = position
      position = skipSpace(bytes, skipString(bytes, position))
      if (bytes[position] === COLON) position = skipSpace(bytes, position + 1)
    }
    const { end, count } = extentAt(bytes, position)
    yield { key, start: position, end, count }
    position = skipSpace(bytes, Math.max(end, position + 1))
    if (bytes[position] === COMMA) position = skipSpace(bytes, position + 1)
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export function readText(bytes: Uint8Array, start: number, end: number): string {
  return decoder.decode(bytes.subarray(start, end))
}

/** Decodes the JSON text of a string between two offsets, without quotes. A truncated escape is kept as written. */
export function decodeString(bytes: Uint8Array, start: number, end: number): string {
  const text = readText(bytes, start, end)
  if (!text.includes('\\')) return text
  try {
    return JSON.parse(`"${text}"`) as string
  } catch {
    return text
  }
}

function containerExtent(bytes: Uint8Array, at: number): Extent {
  let depth = 0
  let commas = 0
  for (let i = at; i < bytes.length; i++) {
    switch (bytes[i]) {
      case QUOTE:
        i = skipString(bytes, i) - 1
        break
      case OPEN_OBJECT:
      case OPEN_LIST:
        depth++
        break
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        if (--depth === 0) {
          const isEmpty = skipSpace(bytes, at + 1) === i
          return { end: i + 1, count: isEmpty ? 0 : commas + 1 }
        }
        break
      case COMMA:
        if (depth === 1) commas++
    }
  }
  return { end: bytes.length, count: commas + 1 }
}

function endsScalar(byte: number): boolean {
  return byte <= 32 || byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST || byte === COLON
}
