/** Shorter strings are quicker read than opened. */
const LEAST_MEDIA_BYTES = 200
const HEAD = 80

const OPENERS = new Set('{['.split('').map((mark) => mark.charCodeAt(0)))
const CLOSERS = new Set('}]'.split('').map((mark) => mark.charCodeAt(0)))
const SPACE = 32

/** Whether the text of a string, between its quotes, begins and ends as an object or a list does. */
export function looksLikeJson(bytes: Uint8Array, start: number, end: number): boolean {
  let [from, to] = [start, end - 1]
  while (from < to && bytes[from] === SPACE) from++
  while (to > from && bytes[to] === SPACE) to--
  return to > from && OPENERS.has(bytes[from]!) && CLOSERS.has(bytes[to]!)
}

/** Whether a text is an object or a list in JSON. */
export function isContainer(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}

/** A document with a text behind it. */
export function withText(bytes: Uint8Array, text: string): Uint8Array {
  const added = new TextEncoder().encode(text)
  const grown = new Uint8Array(bytes.length + added.length)
  grown.set(bytes)
  grown.set(added, bytes.length)
  return grown
}

/** How the base64 of files begins that people put into strings. */
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

/** Type of the file that a string holds, as a data URL or as plain base64; undefined for any other text. */
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
