import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { ApiError } from '@touchstone/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Metrics } from './metrics.ts'
import type { BodyPace } from './read-body.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Bytes of a JSON body after decompression. */
    maxBodyBytes: number
  }
}

/** Gives each request its id header and its share of the body budget, and refuses or repairs bad headers. */
export function prepareRequests(fastify: FastifyInstance, budget: BodyBudget): void {
  fastify.decorateRequest('caller', undefined)
  fastify.decorateRequest('bodyShare')

  fastify.addHook('onRequest', async (request, reply) => {
    request.bodyShare = new BodyShare(budget, () => request.caller?.tenantId ?? '')
    reply.raw.once('close', () => request.bodyShare.release())
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    repairContentType(request.raw)
    refuseSecondHost(request.raw)
  })
}

const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+[ \t]*(;|$)/

/** Fastify refuses an invalid content type; the handlers read bodies of any content type. */
function repairContentType({ headers }: IncomingMessage): void {
  const type = headers['content-type']
  if (type !== undefined && !MEDIA_TYPE.test(type)) headers['content-type'] = 'application/octet-stream'
}

/**
 * Refuses a request with two Host headers (RFC 9112, section 3.2). Node reads the first one and a proxy may have checked
 * the other.
 *
 * @throws ApiError INVALID_REQUEST
 */
function refuseSecondHost({ rawHeaders }: IncomingMessage): void {
  // Names and values alternate.
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host')
  if (hosts.length > 1) throw new ApiError('INVALID_REQUEST', 'The request has more than one Host header.')
}

/** Counts and logs every answered request. */
export function observeRequests(fastify: FastifyInstance, metrics: Metrics): void {
  fastify.decorateRequest('arrivedAt', 0)

  fastify.addHook('onRequest', async (request) => {
    request.arrivedAt = performance.now()
  })
  fastify.addHook('onResponse', async (request, reply) => {
    const seconds = (performance.now() - request.arrivedAt) / 1000
    const template = request.routeOptions.config.route?.path ?? 'other'
    metrics.answered(request.method, template, reply.statusCode, seconds)
    request.log.info(
      { method: request.method, path: toLoggedPath(request, template), status: reply.statusCode, seconds },
      'answered',
    )
  })
}

/** A token in a path is a secret that must not be in the log. */
function toLoggedPath(request: FastifyRequest, template: string): string {
  if (template.includes('token}')) return template
  return request.url.replace(/\?.*/s, '').replace(/^\/(invite|public)\/.*/, '/$1/…')
}

/** Time that running requests have to finish after the server starts to stop. */
const STOP_GRACE_MS = 5_000

/** Ends connections when the server stops. */
export function closeConnectionsOnStop(fastify: FastifyInstance): void {
  let isStopping = false
  fastify.addHook('preClose', async () => {
    isStopping = true
    // A client that sends no request, or does not read its answer, would delay the stop for minutes.
    setTimeout(() => fastify.server.closeAllConnections(), STOP_GRACE_MS).unref()
  })
  // A connection that is kept alive after its last answer would delay the stop until it times out.
  fastify.addHook('onSend', async (_request, reply) => {
    if (isStopping) reply.header('connection', 'close')
  })
}

/** A request of at most this size is never refused for larger ones. */
const SMALL_BYTES = 64 * 1024
/** Part of the budget that is added for small requests. */
const SMALL_PART = 1 / 8
/** Part of the budget that the requests of one workspace may hold; a single request may hold all of it. */
const WORKSPACE_PART = 3 / 4

/**
 * Bytes of request bodies that the process may hold at once, so that many large requests cannot exhaust its memory. No
 * workspace may hold all of them, and small requests have a part of their own.
 */
export class BodyBudget {
  private small = 0
  private large = 0
  /** Large bodies by workspace; '' without one. */
  private readonly ofOwner = new Map<string, number>()

  constructor(private readonly maxBytes: number) {}

  /**
   * Changes what one request holds.
   *
   * @throws ApiError RATE_LIMITED when the process, or the workspace, holds as much as it may
   */
  change(owner: string, before: number, after: number): void {
    this.add(owner, before, -1)
    const problem = after > before ? this.findProblem(owner, after) : undefined
    this.add(owner, problem === undefined ? after : before, 1)
    if (problem !== undefined) throw new ApiError('RATE_LIMITED', problem, { retryAfterSeconds: 1 })
  }

  private findProblem(owner: string, bytes: number): string | undefined {
    const forSmall = this.maxBytes * SMALL_PART
    if (bytes <= SMALL_BYTES && this.small + bytes <= forSmall) return undefined
    const held = this.large + Math.max(0, this.small - forSmall)
    if (held + bytes > this.maxBytes) return 'Too many bytes of requests are under way; try again shortly.'
    const own = this.ofOwner.get(owner) ?? 0
    if (bytes <= SMALL_BYTES || own === 0 || own + bytes <= this.maxBytes * WORKSPACE_PART) return undefined
    return 'Too many bytes of requests of this workspace are under way; try again shortly.'
  }

  private add(owner: string, bytes: number, sign: 1 | -1): void {
    if (bytes <= SMALL_BYTES) {
      this.small += sign * bytes
      return
    }
    this.large += sign * bytes
    const own = (this.ofOwner.get(owner) ?? 0) + sign * bytes
    if (own === 0) this.ofOwner.delete(owner)
    else this.ofOwner.set(owner, own)
  }
}

/** The bytes that one request holds of the budget; released together. */
export class BodyShare {
  private taken = 0
  private owner: string | undefined

  /** @param readOwner  the workspace that sends the body; '' without one */
  constructor(
    private readonly budget: BodyBudget,
    private readonly readOwner: () => string = () => '',
  ) {}

  /** Names the workspace of a request without a caller, before its body is read. */
  belongTo(owner: string): void {
    this.owner ??= owner
  }

  take(bytes: number): void {
    this.set(this.taken + bytes)
  }

  /** Returns bytes that were freed before the request ended. */
  give(bytes: number): void {
    this.set(this.taken - Math.min(bytes, this.taken))
  }

  release(): void {
    this.set(0)
  }

  private set(bytes: number): void {
    if (bytes === this.taken) return
    this.owner ??= this.readOwner()
    this.budget.change(this.owner, this.taken, bytes)
    this.taken = bytes
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    bodyPace: BodyPace
  }
}

interface ConnectionLimits {
  readonly bodyPace: BodyPace
  /** Milliseconds for the head of a request. */
  readonly headersTimeoutMs: number
}

/** Returns the options of Node's HTTP server for the limits. */
export function serverOptions({ headersTimeoutMs }: ConnectionLimits) {
  return {
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: Math.min(headersTimeoutMs, 5_000),
  }
}

/** Drops connections that send too slowly. */
export function limitConnections(fastify: FastifyInstance, { bodyPace }: ConnectionLimits): void {
  fastify.decorate('bodyPace', bodyPace)

  // A client that was answered before it sent the complete body gets time to finish it and to read the answer.
  fastify.addHook('onResponse', async ({ raw }) => {
    // A call over gRPC becomes a request without a connection of its own.
    if (raw.complete || !(raw.socket instanceof Socket) || raw.socket.destroyed) return
    setTimeout(() => raw.complete || raw.socket.destroy(), Math.min(bodyPace.graceMs, MAX_LINGER_MS)).unref()
  })
}

const MAX_LINGER_MS = 10_000
