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
  /** Offset at which the limit cut the string, or undefined when all of it is there. */
  cutAt?: number
}

/**
 * Breaks the JSON text of a string into lines for a monospaced column, at its line breaks and else between words.
 * Never inside an escape or a character.
 *
 * @param start    behind the opening quote
 * @param end      of the closing quote
 * @param columns  characters per line; wide characters count two
 * @param limit    characters to show at most
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
    const wide = widthOf(bytes, at)
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

/** Bytes of the character at `at`: an escape (a surrogate pair counts as one), or one UTF-8 sequence. */
function characterLength(bytes: Uint8Array, at: number): number {
  const byte = bytes[at]!
  if (byte === BACKSLASH) {
    if (bytes[at + 1] !== LETTER_U) return 2
    const isHighSurrogate = (bytes[at + 2]! | 32) === 100 && /[89ab]/i.test(String.fromCharCode(bytes[at + 3]!))
    return isHighSurrogate && bytes[at + 6] === BACKSLASH && bytes[at + 7] === LETTER_U ? 12 : 6
  }
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
}

function widthOf(bytes: Uint8Array, at: number): number {
  return bytes[at]! >= 0xe3 ? 2 : 1 // from U+3000 on nearly everything is as wide as it is high
}
