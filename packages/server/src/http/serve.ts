import { AsyncLocalStorage } from 'node:async_hooks'
import {
  ApiError,
  type FieldProblem,
  findIgnoredFields,
  findRepairedTexts,
  IGNORED_HEADER,
  mountedPaths,
  printIgnored,
  printRepaired,
  REPAIRED_HEADER,
  type Role,
  type Route,
  type RouteSpec,
} from '@touchstone/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Analytics } from '../storage/analytics/port.ts'
import { mapInSlices } from '../time-slices.ts'
import { readJson } from './read-body.ts'
import type { BodyShare } from './request-lifecycle.ts'

/** A validated request: every part has the shape of the contract. */
export interface Call<Of> extends RawCall<Of> {
  readonly query: Parsed<Of, 'query'>
  readonly body: Parsed<Of, 'body'>
  /** JSON text that `body` was parsed from; '' without a body. Cut raw payloads from it: parsing loses digits. */
  readonly bodyText: string
}

/** A request whose body the feature reads itself. */
export interface RawCall<Of> {
  readonly params: Parsed<Of, 'params'>
  /** `undefined` on routes without a key; may be `undefined` on routes with an optional key. */
  readonly caller: Of extends { access: 'public' }
    ? undefined
    : Of extends { access: 'optional' }
      ? Caller | undefined
      : Caller
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

type Parsed<Of, Part extends string> = Of extends { readonly [Name in Part]: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : undefined

/**
 * Mounts a route: authenticates, validates, calls the handler, answers. The result of the handler is sent as JSON with
 * the status of the route; `RawJson` is sent unchanged, and undefined as `{}`, so that every client can parse it.
 */
export function serve<Of extends Route>(app: App, route: Of, handle: (call: Call<Of>) => Promise<unknown>): void {
  mount(app, route, async (raw) => {
    const { request, reply } = raw
    const query = parse(route.query, request.query, 'query')
    const given = route.body ? await readJson(request) : { text: '', value: undefined, repaired: [] }
    nameIgnored(reply, listIgnoredQuery(route, request), findIgnoredFields(route.body, given.value))
    const body = await parseBody(route.body, given.value)
    const texts = BROKEN_TEXT.test(given.text) ? findRepairedTexts(given.value, body) : []
    const repaired = [...given.repaired, ...texts, ...findRepairedTexts(request.query, query)]
    if (repaired.length > 0) reply.header(REPAIRED_HEADER, printRepaired(repaired))
    return handle({ ...raw, query, body, bodyText: given.text } as Call<Of>)
  })
}

/** Fields that the route does not have change nothing, and are named in the response: one rule for all routes. */
function nameIgnored(reply: FastifyReply, ...fields: readonly (readonly string[])[]): void {
  const names = fields.flat()
  if (names.length > 0) reply.header(IGNORED_HEADER, printIgnored(names))
}

/** A route that describes no query has none. */
function listIgnoredQuery(route: Route, { query }: FastifyRequest): string[] {
  return findIgnoredFields(route.query ?? NO_QUERY, query).map((name) => `query.${name}`)
}

const NO_QUERY = z.object({})

/** Mounts a route whose handler reads the body itself. */
export function serveRaw<Of extends Route>(app: App, route: Of, handle: (call: RawCall<Of>) => Promise<unknown>): void {
  mount(app, route, handle)
}

function mount<Of extends Route>(app: App, route: Of, handle: (call: RawCall<Of>) => Promise<unknown>): void {
  app.mount(route, async (request, reply) => {
    nameIgnored(reply, listIgnoredQuery(route, request))
    const params = parse(route.params, request.params, 'path')
    const answer = await handle({ params, caller: request.caller, request, reply } as RawCall<Of>)
    if (reply.sent) return reply // the handler answered itself; awaiting a reply waits for its end
    // A page and a resource may share a path, so a browser must not cache one of them as the other.
    reply.code(route.status).header('content-type', 'application/json').header('cache-control', 'no-store')
    return reply.send(answer instanceof RawJson ? answer.text : JSON.stringify(answer ?? {}))
  })
}

/** How JSON spells NUL and halves of surrogate pairs. Whole pairs match too, and are no reason for a repair. */
const BROKEN_TEXT = /\\u(?:0000|d[89a-f])/i

/** Number of elements that are validated without a pause. */
const SHORT_LIST = 200

/** Like `parse`; the elements of a long list are checked in slices, so that other requests are answered in between. */
async function parseBody(schema: RouteSpec['body'], value: unknown): Promise<unknown> {
  if (!(schema instanceof z.ZodArray) || !Array.isArray(value) || value.length <= SHORT_LIST) {
    return parse(schema, value, 'body')
  }
  parse(schema.clone({ ...schema.def, element: z.unknown() }), value, 'body')
  const results = await mapInSlices(value, (element) => (schema.element as z.ZodType).safeParse(element))
  const problems = results.flatMap((result, at) =>
    result.success
      ? []
      : result.error.issues.map((issue) => toFieldProblem({ ...issue, path: [at, ...issue.path] }, 'body')),
  )
  if (problems.length > 0)
    throw new ApiError('INVALID_REQUEST', undefined, { problems: problems.slice(0, MAX_PROBLEMS) })
  return results.map((result) => result.data)
}

/** Maximum number of problems in one answer: a long list may have thousands. */
const MAX_PROBLEMS = 50

function parse(schema: RouteSpec['body'], value: unknown, where: string): unknown {
  if (schema === undefined) return undefined
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new ApiError('INVALID_REQUEST', undefined, {
    problems: result.error.issues.slice(0, MAX_PROBLEMS).map((issue) => toFieldProblem(issue, where)),
  })
}

function toFieldProblem(issue: z.core.$ZodIssue, where: string): FieldProblem {
  return {
    loc: [where, ...issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))],
    msg: issue.message,
    type: issue.code,
  }
}

/** An answer that is already JSON text, sent unchanged, so that users' data is never parsed and printed again. */
export class RawJson {
  constructor(readonly text: string | Buffer) {}
}

/** The object on which features mount their routes. It offers no way around authentication. */
export interface App {
  mount(route: Route, answer: Answer): void
  /** Runs when the server stops, after its last request was answered. */
  onClose(work: () => Promise<void>): void
}

type Answer = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/**
 * Identifies the caller, before the body is read.
 *
 * @returns `undefined` on public routes, and on optional ones for a caller without a valid key
 * @throws ApiError UNAUTHENTICATED or FORBIDDEN
 */
export type Authenticate = (request: FastifyRequest, route: Route) => Promise<Caller | undefined>

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined
    bodyShare: BodyShare
    /** Time of arrival, `performance.now()`. */
    arrivedAt: number
  }
  interface FastifyContextConfig {
    /** The contract's route, for everything that `mount` mounted. */
    route?: Route
  }
  interface FastifyInstance {
    /** All mounted routes in the notation of the contract; tests compare them with the list of public routes. */
    mounted: MountedRoute[]
    /** The column store as reads see it: with everything that was acknowledged. */
    settledAnalytics: Analytics
  }
}

export interface MountedRoute {
  readonly method: string
  readonly path: string
}

/** Mounts routes of the contract, each under all of its aliases. */
export function openRouter(fastify: FastifyInstance, authenticate: Authenticate): App {
  fastify.decorate('mounted', [])
  fastify.addHook('onRoute', ({ method, url }) => {
    if (method === 'HEAD') return // Fastify adds it to every GET
    fastify.mounted.push({ method: String(method), path: url.replaceAll(/:(\w+)/g, '{$1}') })
  })
  return {
    mount(route, answer) {
      for (const path of mountedPaths(route)) {
        fastify.route({
          method: route.method,
          url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
          config: { route },
          onRequest: async (request, reply) => {
            if (route.access === 'public') reply.header('access-control-allow-origin', '*')
            request.caller = await authenticate(request, route)
          },
          preHandler: (request, _reply, done) => currentRequest.run({ caller: request.caller }, done),
          handler: answer,
        })
      }
    },
    onClose(work) {
      fastify.addHook('onClose', work)
    },
  }
}

/**
 * The request that the running code answers, also in the stream of its answer. Background work has none, or sets one. Only for rules that
 * apply to every read, which a new route must not be able to forget.
 */
export const currentRequest = new AsyncLocalStorage<{ readonly caller: Reader | undefined }>()

/** The part of a caller that decides what it may read. */
export type Reader = Pick<Caller, 'kind' | 'tenantId' | 'role' | 'actorId'>

/** The sender of a request. Every query is limited to its `tenantId`. */
export type Caller = PersonCaller | KeyCaller | LocalCaller

interface CallerBase {
  readonly tenantId: string
  readonly role: Role
  /** Whether the caller may use the routes of server administrators, in any workspace. */
  readonly isServerAdmin: boolean
}

interface PersonCaller extends CallerBase {
  readonly kind: 'person'
  readonly actorId: string
  /** The person's name. */
  readonly actorName: string
  /** The sign-in that the request used. */
  readonly signInId?: string
}

interface KeyCaller extends CallerBase {
  readonly kind: 'key'
  readonly actorId: string
  /** The description of the key, or its first and last characters. */
  readonly actorName: string
}

/** A caller without credentials while the server is open on loopback; always an admin. */
interface LocalCaller extends CallerBase {
  readonly kind: 'local'
  readonly actorId: undefined
  readonly actorName: undefined
}
