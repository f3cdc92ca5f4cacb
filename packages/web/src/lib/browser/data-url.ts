/**
 * The bytes of a `data:` URL.
 *
 * @throws when its base64 or its percent-encoding is broken
 */
export function decodeDataUrl(url: string): Uint8Array<ArrayBuffer> {
  const [head = '', body = ''] = url.split(/,(.*)/s)
  const text = head.endsWith(';base64') ? atob(body) : decodeURIComponent(body)
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}
