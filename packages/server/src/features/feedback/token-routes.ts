import { ApiError, contract, type FeedbackTokenUse } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { type App, serve } from '../../http/serve.ts'
import { isArray, isObject, membersOf } from '../../json/cut-json.ts'
import type { GiveDeps } from './give-feedback.ts'
import { createRateLimit, type RateLimit } from './rate-limit.ts'
import { createTokens, findToken, giveByToken, listTokens, revokeToken } from './tokens.ts'

export type TokenDeps = GiveDeps & Pick<Deps, 'config'>

/** Uses per minute. An address may stand for an office, or for the proxy before this server; a link is one vote. */
const USES_PER_ADDRESS = 3_000
const USES_PER_TOKEN = 30

export function tokenRoutes(app: App, deps: TokenDeps): void {
  const { feedbackTokens } = contract
  const perAddress = createRateLimit(deps.clock, USES_PER_ADDRESS)
  const perToken = createRateLimit(deps.clock, USES_PER_TOKEN)

  const use = async (
    request: FastifyRequest,
    text: string,
    body: FeedbackTokenUse,
    members: ReadonlyMap<string, string>,
  ) => {
    count(perAddress, request.ip)
    const token = await findToken(deps, text)
    count(perToken, token.token)
    await giveByToken(deps, token, body, members)
    return { message: 'Feedback recorded' }
  }

  serve(app, feedbackTokens.create, async ({ caller, body, bodyText, request }) => {
    const tokens = await createTokens(deps, caller.tenantId, body, originOf(deps, request))
    return isArray(bodyText) ? tokens : tokens[0]
  })

  serve(app, feedbackTokens.list, ({ caller, query, request }) =>
    listTokens(deps, caller.tenantId, query, originOf(deps, request)),
  )

  serve(app, feedbackTokens.useByGet, ({ params, query, request }) => {
    const members = Object.entries(query).flatMap(([field, value]) =>
      value === undefined ? [] : [[field, JSON.stringify(value)] as const],
    )
    return use(request, params.token, query, new Map(members))
  })

  serve(app, feedbackTokens.use, ({ params, body, bodyText, request }) =>
    use(request, params.token, body, isObject(bodyText) ? membersOf(bodyText) : new Map()),
  )

  serve(app, feedbackTokens.revoke, ({ caller, params }) => revokeToken(deps, caller.tenantId, params.token))
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
