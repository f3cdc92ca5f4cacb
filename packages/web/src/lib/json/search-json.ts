const BACKSLASH = 92

const LOWER = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte))

/** Enough to say "many"; nobody walks through more. */
export const MOST_HITS = 100_000

/**
 * The forms in which a text may stand in JSON: as it is, and with its non-ASCII characters escaped. Lower-case bytes.
 */
export function needlesOf(query: string): Uint8Array[] {
  const escaped = JSON.stringify(query).slice(1, -1).toLowerCase()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: everything that is ASCII
  const ascii = escaped.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return [...new Set([escaped, ascii])].filter((form) => form !== '').map((form) => new TextEncoder().encode(form))
}

/** Offsets from `from` to `to` at which one of the needles begins; ASCII letters match in either case. */
export function searchBytes(bytes: Uint8Array, needles: readonly Uint8Array[], from: number, to: number): number[] {
  const hits: number[] = []
  for (const needle of needles) collect(bytes, needle, from, Math.min(to, bytes.length - needle.length + 1), hits)
  return needles.length > 1 ? [...new Set(hits)].sort((a, b) => a - b) : hits
}

function collect(bytes: Uint8Array, needle: Uint8Array, from: number, to: number, hits: number[]) {
  const first = needle[0]!
  for (let at = from; at < to && hits.length < MOST_HITS; at++) {
    if (LOWER[bytes[at]!] !== first || !matchesAt(bytes, needle, at) || isEscaped(bytes, at)) continue
    hits.push(at)
  }
}

function matchesAt(bytes: Uint8Array, needle: Uint8Array, at: number): boolean {
  for (let i = 1; i < needle.length; i++) if (LOWER[bytes[at + i]!] !== needle[i]) return false
  return true
}

/** Whether the byte is the second half of an escape such as `\n`, and so no letter of the text. */
function isEscaped(bytes: Uint8Array, at: number): boolean {
  let slashes = 0
  while (bytes[at - 1 - slashes] === BACKSLASH) slashes++
  return slashes % 2 === 1
}
