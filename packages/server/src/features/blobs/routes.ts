import { ApiError, contract } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { type App, serveRaw } from '../../http/serve.ts'
import { readGrant } from './signed-token.ts'
import { signingSecret } from './signing-secret.ts'

/** Types that a browser may show in place; everything else is downloaded, because it could run in our origin. */
const SHOWN_IN_PLACE =
  /^(image\/(png|jpeg|gif|webp|avif)|audio\/[\w.+-]+|video\/[\w.+-]+|text\/plain|application\/pdf)\b/i

export function blobRoutes(app: App, deps: Pick<Deps, 'blobs' | 'relational' | 'clock'>): void {
  serveRaw(app, contract.blobs.read, async ({ params, reply }) => {
    const grant = readGrant(params.token, await signingSecret(deps), deps.clock())
    const bytes = grant && (await deps.blobs.get(grant.key))
    if (grant === undefined || bytes === undefined) {
      throw new ApiError(
        'NOT_FOUND',
        'Attachment not found: the link is wrong or has expired. Read the run again for a new one.',
      )
    }
    const shown = SHOWN_IN_PLACE.test(grant.mimeType)
    return reply
      .header('content-type', grant.mimeType)
      .header(
        'content-disposition',
        `${shown ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeURIComponent(grant.name)}`,
      )
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('x-content-type-options', 'nosniff')
      .header('cache-control', 'private, max-age=3600, immutable')
      .header('access-control-allow-origin', '*')
      .send(bytes)
  })
}
