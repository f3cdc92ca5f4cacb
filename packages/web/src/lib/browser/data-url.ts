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
