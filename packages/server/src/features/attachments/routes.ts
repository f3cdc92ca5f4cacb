import { ApiError, contract } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { etagMatches, setEtag } from '../../http/responses.ts'
import { type App, serveRaw } from '../../http/serve.ts'
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
    const bytes = await deps.blobs.get(grant.key)
    if (bytes === undefined) throw notFound()
    const shown = SHOWN_IN_PLACE.test(grant.mimeType)
    return reply
      .header('content-type', grant.mimeType)
      .header(
        'content-disposition',
        `${shown ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeURIComponent(grant.name)}`,
      )
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('x-content-type-options', 'nosniff')
      .header('access-control-allow-origin', '*')
      .send(bytes)
  })
}

function notFound(): ApiError {
  return new ApiError(
    'NOT_FOUND',
    'Attachment not found: it was deleted, or the link is wrong or has expired. Read the run or example again for a new one.',
  )
}
