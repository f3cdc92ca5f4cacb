import Fastify, { type FastifyInstance, LogController } from 'fastify'
import type { Deps } from '../deps.ts'
import type { Analytics } from '../storage/analytics/port.ts'
import { compressAnswers } from './compression.ts'
import { handleErrors, sendFrameworkError } from './error-handler.ts'
import { noteRequests, OpenConnections } from './open-connections.ts'
import {
  BodyBudget,
  closeConnectionsOnStop,
  limitConnections,
  observeRequests,
  prepareRequests,
  serverOptions,
} from './request-lifecycle.ts'

/**
 * The HTTP server without routes: limits of connections and bodies, compression, metrics and errors.
 *
 * @param settledAnalytics  the column store for reads that wait for acknowledged writes
 */
export function createFastify(deps: Deps, settledAnalytics: Analytics): FastifyInstance {
  const fastify = Fastify({
    loggerInstance: deps.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => deps.ids(),
    requestIdHeader: false,
    trustProxy: deps.config.trustedProxies.length === 0 ? false : [...deps.config.trustedProxies],
    frameworkErrors: sendFrameworkError,
    forceCloseConnections: 'idle',
    http: serverOptions(deps.config.connections),
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 4096 },
  }) as unknown as FastifyInstance
  // The handlers read the bodies, regardless of the content type.
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', (_request, _payload, done) => done(null))
  fastify.decorate('settledAnalytics', settledAnalytics)
  fastify.decorate('maxBodyBytes', deps.config.ingest.maxBodyBytes)
  limitConnections(fastify, deps.config.connections)
  noteRequests(fastify, openConnections(deps))
  observeRequests(fastify, deps.metrics)
  prepareRequests(fastify, new BodyBudget(deps.config.maxBytesInFlight))
  closeConnectionsOnStop(fastify)
  compressAnswers(fastify)
  handleErrors(fastify)
  return fastify
}

function openConnections({ config, log }: Deps): OpenConnections {
  const { maxConnections } = config.connections
  return new OpenConnections(maxConnections, () =>
    log.warn(
      `${maxConnections} connections are open, as many as TOUCHSTONE_MAX_CONNECTIONS and half of the open files of the process ` +
        '(ulimit -n) allow; those without a request are closed for new ones.',
    ),
  )
}
