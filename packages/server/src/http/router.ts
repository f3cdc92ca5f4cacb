import { mountedPaths, type Route } from '@touchstone/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { BodyShare } from './body-budget.ts'
import type { Caller } from './caller.ts'

/** What rooms mount their routes on. It offers no way around authentication. */
export interface App {
  mount(route: Route, answer: Answer): void
  /** Runs when the server stops, after its last request was answered. */
  onClose(work: () => Promise<void>): void
}

export type Answer = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/**
 * Decides who calls, before a byte of the body is read.
 *
 * @returns `undefined` on public routes, and on optional ones for whoever has no valid key
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
    /** The contract's route, on everything that `mount` mounted. */
    route?: Route
  }
  interface FastifyInstance {
    /** Everything that answers, as the contract writes it; tests hold it against the list of what is public. */
    mounted: MountedRoute[]
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
          handler: answer,
        })
      }
    },
    onClose(work) {
      fastify.addHook('onClose', work)
    },
  }
}
