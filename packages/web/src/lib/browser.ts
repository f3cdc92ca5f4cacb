/** Joins class names, leaving out what is falsy. */
export function cx(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ')
}

/** Offers text or bytes to the browser as a file to save. */
export function saveFile(name: string, type: string, parts: readonly (string | Uint8Array<ArrayBuffer>)[]): void {
  const url = URL.createObjectURL(new Blob([...parts], { type }))
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/**
 * The bytes of a `data:` URL.
 *
 * @throws if the base64 or the percent-encoding is invalid
 */
export function decodeDataUrl(url: string): Uint8Array<ArrayBuffer> {
  const [head = '', body = ''] = url.split(/,(.*)/s)
  const text = head.endsWith(';base64') ? atob(body) : decodeURIComponent(body)
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}

/** "Firefox on Linux": enough to recognize a browser in a list of sessions. */
export function describeBrowser(userAgent: string | null): string {
  if (userAgent === null) return 'Unknown browser'
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1]
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1]
  if (browser === undefined) return userAgent.slice(0, 60)
  return system === undefined ? browser : `${browser} on ${system}`
}

// Most user agents contain the names of other browsers, so the order matters.
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
]

/** How long an action can be undone. */
const UNDO_MS = 5_000

/**
 * Calls `write` after a delay, or at once when the page is left.
 *
 * @returns a function that cancels the write; it does nothing after the delay
 */
export function deferWithUndo(write: () => void, ms = UNDO_MS): () => void {
  const settle = () => {
    clearTimeout(timer)
    window.removeEventListener('pagehide', now)
  }
  const now = () => {
    settle()
    write()
  }
  const timer = setTimeout(now, ms)
  window.addEventListener('pagehide', now)
  return settle
}
