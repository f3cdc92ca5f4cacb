import { ApiError } from '@touchstone/contract'
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'
import { isNavigation, type SendPage } from '../../http/web-ui.ts'
import { findDatasetShare, findRunShare } from '../../storage/relational/public-links.ts'

/**
 * Serves the web UI's page under public links, regardless of the Accept header: link preview tools do not ask for HTML.
 * An unknown token is 404.
 */
export function sharePages(fastify: FastifyInstance, deps: Pick<Deps, 'relational'>, sendPage: SendPage): void {
  const findShare = {
    r: (token: string) => findRunShare(deps.relational.db, token),
    d: (token: string) => findDatasetShare(deps.relational.db, token),
  }
  for (const kind of ['r', 'd'] as const) {
    fastify.get<{ Params: { readonly share_token: string } }>(
      `/public/:share_token/${kind}`,
      async (request, reply) => {
        if ((await findShare[kind](request.params.share_token)) !== undefined) return sendPage(request, reply)
        if (isNavigation(request)) return sendPage(request, reply, 404)
        throw new ApiError('NOT_FOUND', 'Share token not found')
      },
    )
  }
}
