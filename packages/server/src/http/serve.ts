import { ApiError, type FieldProblem, type Route, type RouteSpec } from '@touchstone/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { mapInSlices } from '../time-slices.ts'
import type { Caller } from './caller.ts'
import { RawJson } from './raw-json.ts'
import { readJson } from './read-body.ts'
import type { App } from './router.ts'

export type { App }

/** A request that matched its route: every part has the shape that the contract promises. */
export interface Call<Of> extends RawCall<Of> {
  readonly query: Parsed<Of, 'query'>
  readonly body: Parsed<Of, 'body'>
  /** JSON text that `body` was parsed from; '' without one. Cut raw payloads from it: parsing loses digits. */
  readonly bodyText: string
}

/** A request whose body the room reads itself. */
export interface RawCall<Of> {
  readonly params: Parsed<Of, 'params'>
  /** `undefined` where the route asks for no key; where it takes one, maybe. */
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
 * Mounts a route: authenticates, validates, calls, answers. What the handler returns is sent as JSON with the route's
 * status; `RawJson` is sent as it is, and nothing as `{}`, so that every client can parse it.
 */
export function serve<Of extends Route>(app: App, route: Of, handle: (call: Call<Of>) => Promise<unknown>): void {
  mount(app, route, async (raw) => {
    const { request } = raw
    const query = parse(route.query, request.query, 'query')
    const bodyText = route.body ? await readJson(request) : { text: '', value: undefined }
    const body = await parseBody(route.body, bodyText.value)
    return handle({ ...raw, query, body, bodyText: bodyText.text } as Call<Of>)
  })
}

/** Mounts a route whose handler reads the body itself. */
export function serveRaw<Of extends Route>(app: App, route: Of, handle: (call: RawCall<Of>) => Promise<unknown>): void {
  mount(app, route, handle)
}

function mount<Of extends Route>(app: App, route: Of, handle: (call: RawCall<Of>) => Promise<unknown>): void {
  app.mount(route, async (request, reply) => {
    const params = parse(route.params, request.params, 'path')
    const answer = await handle({ params, caller: request.caller, request, reply } as RawCall<Of>)
    if (reply.sent) return reply // the handler answered by itself; awaiting a reply awaits its end
    // A page and a resource may share a path, so a browser must not keep the one for the other.
    reply.code(route.status).header('content-type', 'application/json').header('cache-control', 'no-store')
    return reply.send(answer instanceof RawJson ? answer.text : JSON.stringify(answer ?? {}))
  })
}

/** Elements of a list that are checked in one go. */
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

/** Mistakes that one answer names: a list of thousands has as many. */
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
