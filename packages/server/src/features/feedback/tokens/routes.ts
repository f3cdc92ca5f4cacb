import { ApiError, contract, type FeedbackTokenUse } from '@touchstone/contract'
import { isArrayText, isObjectText, splitMembers } from '@touchstone/formats/cut-json'
import type { FastifyRequest } from 'fastify'
import type { Clock, Deps } from '../../../deps.ts'
import { clientAddress } from '../../../http/request-origin.ts'
import { type App, serve } from '../../../http/serve.ts'
import { createSteadyClock } from '../../../steady-clock.ts'
import type { SubmitDeps } from '../submit-feedback.ts'
import { type LinkContent, sendAskingPage, sendProblemPage, sendThanksPage, wantsPage } from './link-page.ts'
import { createTokens, getToken, listTokens, revokeToken, submitByToken } from './tokens.ts'

export type TokenDeps = SubmitDeps & Pick<Deps, 'config'>

/** Uses per minute. One address may be an office or a proxy; one link is one vote. */
const USES_PER_ADDRESS = 3_000
const USES_PER_TOKEN = 30

export function tokenRoutes(app: App, deps: TokenDeps): void {
  const { feedbackTokens } = contract
  const perAddress = createRateLimit(deps.clock, USES_PER_ADDRESS)
  const perToken = createRateLimit(deps.clock, USES_PER_TOKEN)

  const find = (request: FastifyRequest, text: string) => {
    assertWithinLimit(perAddress, clientAddress(request))
    return getToken(deps, text)
  }

  const use = async (
    request: FastifyRequest,
    text: string,
    body: FeedbackTokenUse,
    members: ReadonlyMap<string, string>,
  ) => {
    const token = await find(request, text)
    assertWithinLimit(perToken, token.token)
    await submitByToken(deps, token, body, members)
    return { message: 'Feedback recorded' }
  }

  serve(app, feedbackTokens.create, async ({ caller, body, bodyText, request }) => {
    const tokens = await createTokens(deps, caller.tenantId, body, getOrigin(deps, request))
    return isArrayText(bodyText) ? tokens : tokens[0]
  })

  serve(app, feedbackTokens.list, ({ caller, query, request }) =>
    listTokens(deps, caller.tenantId, query, getOrigin(deps, request)),
  )

  serve(app, feedbackTokens.useByGet, async ({ params, query: { ask, ...content }, request, reply }) => {
    if (!ask && !wantsPage(request)) return use(request, params.token, content, toMembers(content))
    try {
      const { feedback_key } = await find(request, params.token)
      return sendAskingPage(reply, feedback_key, content, toConfirmPath(request.url))
    } catch (error) {
      return sendProblemPage(reply, error)
    }
  })

  serve(app, feedbackTokens.confirm, async ({ params, query, request, reply }) => {
    const isBrowser = (request.headers.accept ?? '').includes('text/html')
    try {
      const answer = await use(request, params.token, query, toMembers(query))
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
function toMembers(content: LinkContent): Map<string, string> {
  const given = Object.entries(content).filter(([, value]) => value !== undefined)
  return new Map(given.map(([field, value]) => [field, JSON.stringify(value)]))
}

/** Form action of the page of a link: relative, because a proxy may serve this server below another path. */
function toConfirmPath(url: string): string {
  const [path = '', query] = url.split('?')
  const last = /[^/]+(?=\/*$)/.exec(path)?.[0] ?? ''
  const below = path.endsWith('/') ? './confirm' : `./${last}/confirm`
  return query === undefined ? below : `${below}?${query}`
}

function assertWithinLimit(limit: RateLimit, key: string): void {
  const retryAfterSeconds = limit.take(key)
  if (retryAfterSeconds === undefined) return
  throw new ApiError('RATE_LIMITED', 'Too much feedback through links; try again shortly.', { retryAfterSeconds })
}

/** Origin of this server for the caller. */
function getOrigin({ config }: TokenDeps, request: FastifyRequest): string {
  return config.publicUrl?.replace(/(?<!\/)\/+$/, '') ?? `${request.protocol}://${request.host}`
}

/** Counts uses of each key in windows of a fixed length, in memory: a restart resets all counts. */
interface RateLimit {
  /** Counts one use. @returns seconds to wait when the limit is exceeded */
  take(key: string): number | undefined
}

/** With more keys than this in one window, all counts are reset: a bound on memory is more important than fairness. */
const MAX_KEYS = 100_000

function createRateLimit(clock: Clock, limit: number, windowMs = 60_000): RateLimit {
  const steady = createSteadyClock(clock)
  let counts = new Map<string, number>()
  let endsAt = 0
  return {
    take(key) {
      const now = steady()
      if (now >= endsAt || counts.size >= MAX_KEYS) {
        counts = new Map()
        endsAt = now + windowMs
      }
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      return count <= limit ? undefined : Math.ceil((endsAt - now) / 1000)
    },
  }
}
