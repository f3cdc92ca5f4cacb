const BACKSLASH = 92
const SPACE = 32
const LETTER_N = 110
const LETTER_U = 117

export interface Line {
  start: number
  end: number
}

export interface WrappedString {
  lines: Line[]
  /** Offset where the limit cut the string; undefined when the string is complete. */
  cutAt?: number
}

/**
 * Breaks the JSON text of a string into lines for a monospaced column, at line breaks and between words, never inside
 * an escape or a character.
 *
 * @param start    offset after the opening quote
 * @param end      offset of the closing quote
 * @param columns  characters per line; wide characters count as two
 * @param limit    maximum number of characters
 */
export function wrapString(
  bytes: Uint8Array,
  start: number,
  end: number,
  columns: number,
  limit = Infinity,
): WrappedString {
  const lines: Line[] = []
  let lineStart = start
  let width = 0
  let lastSpace = -1
  let widthAtSpace = 0
  let characters = 0
  for (let at = start; at < end; ) {
    if (characters++ >= limit) return { lines: [...lines, { start: lineStart, end: at }], cutAt: at }
    const byte = bytes[at]!
    if (byte === BACKSLASH && bytes[at + 1] === LETTER_N) {
      lines.push({ start: lineStart, end: at })
      at += 2
      lineStart = at
      width = 0
      lastSpace = -1
      continue
    }
    const length = characterLength(bytes, at)
    const wide = measureCharacter(bytes, at)
    if (width + wide > columns && at > lineStart) {
      const breaksAtSpace = lastSpace > lineStart && widthAtSpace > columns * 0.6
      const cut = breaksAtSpace ? lastSpace + 1 : at
      lines.push({ start: lineStart, end: cut })
      lineStart = cut
      width = breaksAtSpace ? width - widthAtSpace : 0
      lastSpace = -1
    }
    width += wide
    if (byte === SPACE) {
      lastSpace = at
      widthAtSpace = width
    }
    at += length
  }
  lines.push({ start: lineStart, end })
  return { lines }
}

/** Bytes of the character at `at`: an escape (a surrogate pair counts as one) or one UTF-8 sequence. */
function characterLength(bytes: Uint8Array, at: number): number {
  const byte = bytes[at]!
  if (byte === BACKSLASH) {
    if (bytes[at + 1] !== LETTER_U) return 2
    const isHighSurrogate = (bytes[at + 2]! | 32) === 100 && /[89ab]/i.test(String.fromCharCode(bytes[at + 3]!))
    return isHighSurrogate && bytes[at + 6] === BACKSLASH && bytes[at + 7] === LETTER_U ? 12 : 6
  }
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
}

function measureCharacter(bytes: Uint8Array, at: number): number {
  return bytes[at]! >= 0xe3 ? 2 : 1 // from U+3000 on nearly all characters are double width
}

/** Shorter strings are shown as text. */
const LEAST_MEDIA_BYTES = 200
const HEAD = 80

const OPENERS = new Set('{['.split('').map((mark) => mark.charCodeAt(0)))
const CLOSERS = new Set('}]'.split('').map((mark) => mark.charCodeAt(0)))

/** Whether the text of a string, without its quotes, starts and ends like an object or a list. */
export function looksLikeJson(bytes: Uint8Array, start: number, end: number): boolean {
  let [from, to] = [start, end - 1]
  while (from < to && bytes[from] === SPACE) from++
  while (to > from && bytes[to] === SPACE) to--
  return to > from && OPENERS.has(bytes[from]!) && CLOSERS.has(bytes[to]!)
}

/** Whether a text is a JSON object or list. */
export function isContainer(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}

/** Returns the document with a text appended. */
export function withText(bytes: Uint8Array, text: string): Uint8Array {
  const added = new TextEncoder().encode(text)
  const grown = new Uint8Array(bytes.length + added.length)
  grown.set(bytes)
  grown.set(added, bytes.length)
  return grown
}

/** Prefixes of base64-encoded files. */
const BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  [/^iVBORw0KGgo/, 'image/png'],
  [/^\/9j\//, 'image/jpeg'],
  [/^R0lGOD/, 'image/gif'],
  [/^UklGR.{7}RUJQ/, 'image/webp'],
  [/^UklGR.{7}QVZF/, 'audio/wav'],
  [/^SUQz/, 'audio/mpeg'],
  [/^T2dnUw/, 'audio/ogg'],
  [/^JVBERi0/, 'application/pdf'],
]

/** Media type of the file that a string contains, as a data URL or as plain base64; undefined for other texts. */
export function mediaAt(bytes: Uint8Array, start: number, end: number): string | undefined {
  if (end - start < LEAST_MEDIA_BYTES) return undefined
  const head = String.fromCharCode(...bytes.subarray(start, start + HEAD))
  const named = /^data:([\w.+-]+\/[\w.+-]+)[;,]/.exec(head)?.[1]
  if (named !== undefined) return named
  if (!/^[\w+/\\-]+$/.test(head)) return undefined
  // JSON may write a slash as `\/`.
  const plain = head.replaceAll('\\/', '/')
  return BEGINNINGS.find(([beginning]) => beginning.test(plain))?.[1]
}
