import { ApiError, contract, type FeedbackTokenUse } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { clientAddress } from '../../http/client-address.ts'
import { type App, serve } from '../../http/serve.ts'
import { isArrayText, isObjectText, splitMembers } from '../../json/cut-json.ts'
import type { GiveDeps } from './give-feedback.ts'
import { type LinkContent, sendAskingPage, sendProblemPage, sendThanksPage } from './link-page.ts'
import { createRateLimit, type RateLimit } from './rate-limit.ts'
import { createTokens, findToken, giveByToken, listTokens, revokeToken } from './tokens.ts'
import { wantsPage } from './wants-page.ts'

export type TokenDeps = GiveDeps & Pick<Deps, 'config'>

/** Uses per minute. An address may stand for an office, or for the proxy before this server; a link is one vote. */
const USES_PER_ADDRESS = 3_000
const USES_PER_TOKEN = 30

export function tokenRoutes(app: App, deps: TokenDeps): void {
  const { feedbackTokens } = contract
  const perAddress = createRateLimit(deps.clock, USES_PER_ADDRESS)
  const perToken = createRateLimit(deps.clock, USES_PER_TOKEN)

  const find = (request: FastifyRequest, text: string) => {
    count(perAddress, clientAddress(request))
    return findToken(deps, text)
  }

  const use = async (
    request: FastifyRequest,
    text: string,
    body: FeedbackTokenUse,
    members: ReadonlyMap<string, string>,
  ) => {
    const token = await find(request, text)
    count(perToken, token.token)
    await giveByToken(deps, token, body, members)
    return { message: 'Feedback recorded' }
  }

  serve(app, feedbackTokens.create, async ({ caller, body, bodyText, request }) => {
    const tokens = await createTokens(deps, caller.tenantId, body, originOf(deps, request))
    return isArrayText(bodyText) ? tokens : tokens[0]
  })

  serve(app, feedbackTokens.list, ({ caller, query, request }) =>
    listTokens(deps, caller.tenantId, query, originOf(deps, request)),
  )

  serve(app, feedbackTokens.useByGet, async ({ params, query: { ask, ...content }, request, reply }) => {
    if (!ask && !wantsPage(request)) return use(request, params.token, content, membersIn(content))
    try {
      const { feedback_key } = await find(request, params.token)
      return sendAskingPage(reply, feedback_key, content, confirmPath(request.url))
    } catch (error) {
      return sendProblemPage(reply, error)
    }
  })

  serve(app, feedbackTokens.confirm, async ({ params, query, request, reply }) => {
    const isBrowser = (request.headers.accept ?? '').includes('text/html')
    try {
      const answer = await use(request, params.token, query, membersIn(query))
      return isBrowser ? sendThanksPage(reply) : answer
    } catch (error) {
      if (!isBrowser) throw error
      return sendProblemPage(reply, error)
    }
  })

  serve(app, feedbackTokens.use, ({ params, body, bodyText, request }) =>
    use(request, params.token, body, isObjectText(bodyText) ? splitMembers(bodyText) : new Map()),
  )

  serve(app, feedbackTokens.revoke, ({ caller, params }) => revokeToken(deps, caller.tenantId, params.token))
}

/** JSON text of each field of a query. */
function membersIn(content: LinkContent): Map<string, string> {
  const given = Object.entries(content).filter(([, value]) => value !== undefined)
  return new Map(given.map(([field, value]) => [field, JSON.stringify(value)]))
}

/** Where the page of a link posts to: relative, since a proxy may serve this below a path of its own. */
function confirmPath(url: string): string {
  const [path = '', query] = url.split('?')
  const last = /[^/]+(?=\/*$)/.exec(path)?.[0] ?? ''
  const below = path.endsWith('/') ? './confirm' : `./${last}/confirm`
  return query === undefined ? below : `${below}?${query}`
}

function count(limit: RateLimit, key: string): void {
  const retryAfterSeconds = limit.take(key)
  if (retryAfterSeconds === undefined) return
  throw new ApiError('RATE_LIMITED', 'Too much feedback through links; try again shortly.', { retryAfterSeconds })
}

/** Where the caller reaches this server. */
function originOf({ config }: TokenDeps, request: FastifyRequest): string {
  return config.publicUrl?.replace(/\/+$/, '') ?? `${request.protocol}://${request.host}`
}
