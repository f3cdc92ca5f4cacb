import type { Deps } from '../../deps.ts'
import type { StoredAttachment } from '../blobs/index.ts'
import type { AttachmentPart } from './collect-parts.ts'

/** Files written side by side; each waits for the disk. */
const AT_ONCE = 8

/** Makes the bytes of attachments durable before any row names them; the order is kept. */
export async function storeAttachments(
  { blobs }: Pick<Deps, 'blobs'>,
  given: readonly AttachmentPart[],
): Promise<StoredAttachment[]> {
  const stored: StoredAttachment[] = new Array(given.length)
  let next = 0
  const work = async () => {
    while (next < given.length) {
      const at = next++
      const { name, part } = given[at]!
      const mime_type = part.contentType || 'application/octet-stream'
      stored[at] = { name, mime_type, hash: await blobs.put(part.bytes), size: part.bytes.length }
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, given.length) }, work))
  return stored
}
