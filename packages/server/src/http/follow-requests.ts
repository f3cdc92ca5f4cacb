import type { IncomingMessage } from 'node:http'
import { ApiError } from '@touchstone/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type BodyBudget, BodyShare } from './body-budget.ts'
import type { Metrics } from './metrics.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Bytes of a JSON body after decompression. */
    maxBodyBytes: number
  }
}

/** What a request under way has left to finish once the server stops. */
const STOP_GRACE_MS = 5_000

/** Gives each request its id, its share of the body budget, a log line and a place in the metrics. */
export function followRequests(fastify: FastifyInstance, metrics: Metrics, budget: BodyBudget): void {
  fastify.decorateRequest('caller', undefined)
  fastify.decorateRequest('bodyShare')
  fastify.decorateRequest('arrivedAt', 0)

  fastify.addHook('onRequest', async (request, reply) => {
    request.arrivedAt = performance.now()
    request.bodyShare = new BodyShare(budget)
    reply.raw.once('close', () => request.bodyShare.release())
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    tolerateContentType(request.raw)
    refuseSecondHost(request.raw)
  })

  let isStopping = false
  fastify.addHook('preClose', async () => {
    isStopping = true
    // Who opened a connection and says nothing, or does not read its answer, would hold the stop up for minutes.
    setTimeout(() => fastify.server.closeAllConnections(), STOP_GRACE_MS).unref()
  })
  // A connection kept alive past its last answer would hold up the stop until it times out.
  fastify.addHook('onSend', async (_request, reply) => {
    if (isStopping) reply.header('connection', 'close')
  })

  fastify.addHook('onResponse', async (request, reply) => {
    const seconds = (performance.now() - request.arrivedAt) / 1000
    const template = request.routeOptions.config.route?.path ?? 'other'
    metrics.answered(request.method, template, reply.statusCode, seconds)
    request.log.info(
      { method: request.method, path: pathToLog(request, template), status: reply.statusCode, seconds },
      'answered',
    )
  })
}

const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+[ \t]*(;|$)/

/** Fastify refuses a content type that is none; we read bodies whatever it says. */
function tolerateContentType({ headers }: IncomingMessage): void {
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
  // Names and values take turns.
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host')
  if (hosts.length > 1) throw new ApiError('INVALID_REQUEST', 'The request has more than one Host header.')
}

/** A token in a path is a secret: whoever reads the log must not be able to use it. */
function pathToLog(request: FastifyRequest, template: string): string {
  if (template.includes('token}')) return template
  return (request.url.split('?')[0] ?? '').replace(/^\/(invite|public)\/.*/, '/$1/…')
}
