import { ApiError } from '@touchstone/contract'
import type { FastifyInstance } from 'fastify'
import type { BodyPace } from './read-body.ts'

declare module 'fastify' {
  interface FastifyInstance {
    bodyPace: BodyPace
  }
}

export interface ConnectionLimits {
  readonly bodyPace: BodyPace
  /** Milliseconds for the head of a request. */
  readonly headersTimeoutMs: number
  /** Connections open at once; more are closed at once. */
  readonly maxConnections: number
}

/** Options of Node's HTTP server that follow from the limits. */
export function serverOptions({ headersTimeoutMs }: ConnectionLimits) {
  return {
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: Math.min(headersTimeoutMs, 5_000),
  }
}

/** Drops connections that send too slowly, and refuses requests that name two hosts. */
export function limitConnections(fastify: FastifyInstance, { bodyPace, maxConnections }: ConnectionLimits): void {
  fastify.decorate('bodyPace', bodyPace)
  fastify.server.maxConnections = maxConnections

  fastify.addHook('onRequest', async ({ raw }) => {
    const hosts = raw.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
    if (hosts.length > 1) throw new ApiError('INVALID_REQUEST', 'The request has more than one Host header.')
  })

  // Who was answered before the body was complete gets a while to finish it and to read the answer.
  fastify.addHook('onResponse', async ({ raw }) => {
    if (raw.complete || raw.socket.destroyed) return
    setTimeout(() => raw.complete || raw.socket.destroy(), Math.min(bodyPace.graceMs, MAX_LINGER_MS)).unref()
  })
}

const MAX_LINGER_MS = 10_000
