import { ApiError, parseUuid } from '@touchstone/contract'
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../../deps.ts'
import { isNavigation, type SendPage } from '../../../http/web-ui.ts'
import { findDatasetShare } from './dataset-shares.ts'
import { selectByToken } from './store.ts'

/**
 * Answers the links that people pass on with the page of the web UI, whatever the caller accepts: tools that look at a link
 * before somebody opens it do not ask for HTML. An unknown token is 404.
 */
export function sharePages(fastify: FastifyInstance, deps: Pick<Deps, 'relational'>, sendPage: SendPage): void {
  const isKnown = {
    r: async (token: string) => {
      const parsed = parseUuid(token)
      return parsed !== undefined && (await selectByToken(deps.relational.db, parsed)) !== undefined
    },
    d: async (token: string) => (await findDatasetShare(deps, token)) !== undefined,
  }
  for (const kind of ['r', 'd'] as const) {
    fastify.get<{ Params: { readonly share_token: string } }>(
      `/public/:share_token/${kind}`,
      async (request, reply) => {
        if (await isKnown[kind](request.params.share_token)) return sendPage(request, reply)
        if (isNavigation(request)) return sendPage(request, reply, 404)
        throw new ApiError('NOT_FOUND', 'Share token not found')
      },
    )
  }
}
