export type Bytes = Uint8Array<ArrayBuffer>

const encoder = new TextEncoder()

/** UTF-8 bytes of a text. `Buffer` uses a pool for short texts, which is several times faster. */
export function encodeText(text: string): Bytes {
  return globalThis.Buffer ? Buffer.from(text) : encoder.encode(text)
}
