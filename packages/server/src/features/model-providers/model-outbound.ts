import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'
import { findSignOfOrigin, isLocalServer } from '../../http/request-origin.ts'
import { LOOPBACK } from '../../outbound/allowed-targets.ts'
import { type Outbound, openOutbound } from '../../outbound/open-outbound.ts'

/**
 * Opens the HTTP client for calls of models, which is not that of webhooks: a server that only this machine reaches may call
 * models on it, and a connection that was opened under one rule must not be used under another. A proxy may serve such a
 * server to others without a setting that names it: from the first request with credentials that came through one, models on
 * this machine are refused until the server starts again, unless the operator allows them. Requests without credentials call no
 * model, so they do not count: a health check or a header of anybody would end the calls otherwise.
 */
export function openModelOutbound(fastify: FastifyInstance, { config, log }: Pick<Deps, 'config' | 'log'>): Outbound {
  const strict = openOutbound(config.outboundAllow)
  if (!isLocalServer(config)) return strict
  const local = openOutbound([...config.outboundAllow, ...LOOPBACK])
  let isReached = false
  fastify.addHook('preHandler', async (request) => {
    if (isReached || request.caller === undefined) return
    const sign = findSignOfOrigin(request)
    if (sign === undefined) return
    isReached = true
    log.warn(`a request came from another machine: ${sign}. Models on this machine are no longer called. ${REMEDY}`)
  })
  const current = () => (isReached ? strict : local)
  return {
    check: (url) => current().check(url),
    send: (request) => current().send(request),
    open: (request) => current().open(request),
    async close() {
      await Promise.all([strict.close(), local.close()])
    },
  }
}

const REMEDY = 'TOUCHSTONE_OUTBOUND_ALLOW=127.0.0.1 allows them.'
