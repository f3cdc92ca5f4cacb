import { blobs } from '@touchstone/contract/routes'
import { clientOf, ServerCalls } from '@touchstone/sdk/api'
import { publicConnection } from '#lib/api/client.ts'

/** A signed URL needs no credentials, and a page of a share link must not send any. */
const client = clientOf(publicConnection, ServerCalls)

/** The bytes of an attachment. */
export async function readAttachment(url: string): Promise<ArrayBuffer> {
  return (await openAttachment(url)).arrayBuffer()
}

/** The first bytes of an attachment. The rest is not transferred. */
export async function readBeginning(
  url: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  const reader = (await openAttachment(url, signal)).body?.getReader()
  const bytes = new Uint8Array(maxBytes)
  let filled = 0
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    const fitting = part.value.subarray(0, maxBytes - filled)
    bytes.set(fitting, filled)
    filled += fitting.length
    if (fitting.length === part.value.length) continue
    await reader?.cancel()
    return { bytes, isCut: true }
  }
  return { bytes: bytes.subarray(0, filled), isCut: false }
}

/** Its signed URL ends with the token that the route takes. */
function openAttachment(url: string, signal?: AbortSignal): Promise<Response> {
  const token = new URL(url).pathname.split('/').at(-1) ?? ''
  return client.raw(blobs.read, { params: { token }, doing: 'load the attachment', ...(signal && { signal }) })
}
