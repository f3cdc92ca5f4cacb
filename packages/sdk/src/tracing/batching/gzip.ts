import type { Bytes } from '../text-bytes.ts'

/** Below this, compressing costs more than it saves. */
const MIN_BYTES = 1024

/** Gzipped off the main thread where the platform can; `undefined` where it cannot, or where it is not worth it. */
export async function gzip(bytes: Bytes): Promise<Bytes | undefined> {
  if (bytes.length < MIN_BYTES || typeof CompressionStream === 'undefined') return undefined
  const zipped = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(zipped).arrayBuffer())
}
