import { buffer } from 'node:stream/consumers'
import { ApiError, contract } from '@touchstone/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { parseByteRange } from '../../http/byte-range.ts'
import { etagMatches, setEtag } from '../../http/responses.ts'
import { type App, serveRaw } from '../../http/serve.ts'
import { type Blobs, UnsatisfiableRangeError } from '../../storage/blobs/port.ts'
import { getSigningSecret, isStillGranted, readAttachmentGrant } from './signed-urls.ts'

/** Types that a browser may show inline; all other types are downloaded, because they could run scripts in this origin. */
const SHOWN_IN_PLACE =
  /^(image\/(png|jpeg|gif|webp|avif)|audio\/[\w.+-]+|video\/[\w.+-]+|text\/plain|application\/pdf)\b/i

export function blobRoutes(app: App, deps: Pick<Deps, 'analytics' | 'blobs' | 'relational' | 'clock'>): void {
  serveRaw(app, contract.blobs.read, async ({ params, request, reply }) => {
    const grant = readAttachmentGrant(params.token, await getSigningSecret(deps), deps.clock())
    if (grant === undefined || !(await isStillGranted(deps, grant))) throw notFound()
    // Browsers may cache it but must revalidate each time: a deleted attachment must not be shown from a cache.
    if (etagMatches(request.headers['if-none-match'], setEtag(reply, grant.key))) return reply.code(304).send()
    const shown = SHOWN_IN_PLACE.test(grant.mimeType)
    reply
      .header('content-type', grant.mimeType)
      .header(
        'content-disposition',
        `${shown ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeURIComponent(grant.name)}`,
      )
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('x-content-type-options', 'nosniff')
      .header('access-control-allow-origin', '*')
      .header('accept-ranges', 'bytes')
    return sendBlob(deps.blobs, grant.key, request, reply)
  })
}

/** Blobs up to this size are read whole, so that text is compressed. */
const STREAM_FROM_BYTES = 1024 * 1024

/** Sends a blob, or the range of it that the request names. */
async function sendBlob(
  blobs: Blobs,
  key: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { range: header, 'if-range': ifRange } = request.headers
  // A client that continues a download of other bytes gets all of these.
  const range = ifRange === undefined || etagMatches(String(ifRange), `"${key}"`) ? parseByteRange(header) : undefined
  try {
    const blob = await blobs.open(key, range)
    if (blob === undefined) throw notFound()
    const { size, first, last, bytes } = blob
    if (range !== undefined) reply.code(206).header('content-range', `bytes ${first}-${last}/${size}`)
    else if (size < STREAM_FROM_BYTES) return reply.send(await buffer(bytes))
    return reply.header('content-length', last - first + 1).send(bytes)
  } catch (error) {
    if (!(error instanceof UnsatisfiableRangeError)) throw error
    return reply.code(416).header('content-range', `bytes */${error.size}`).send()
  }
}

function notFound(): ApiError {
  return new ApiError(
    'NOT_FOUND',
    'Attachment not found: it was deleted, or the link is wrong or has expired. Read the run or example again for a new one.',
  )
}
