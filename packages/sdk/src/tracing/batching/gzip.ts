import type { Bytes } from '../text-bytes.ts'

/** Below this size, compression costs more than it saves. */
const MIN_BYTES = 1024

/** Compresses off the main thread. `undefined` when the platform cannot compress or the body is too small. */
export async function gzip(bytes: Bytes): Promise<Bytes | undefined> {
  if (bytes.length < MIN_BYTES || typeof CompressionStream === 'undefined') return undefined
  const zipped = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(zipped).arrayBuffer())
}
