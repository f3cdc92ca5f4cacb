import { ApiError, allRoutes, mountedPaths } from '@touchstone/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendError } from './error-handler.ts'
import { isNavigation, type SendPage } from './web-ui.ts'

/** Answers a path or method that the contract does not have: pages, the preflights of browsers, and mistakes. */
export function answerUnknownPath(
  request: FastifyRequest,
  reply: FastifyReply,
  sendPage: SendPage | undefined,
): FastifyReply {
  const path = (request.url.split('?')[0] ?? '').replace(/(.)\/+$/, '$1')
  const known = knownPaths().filter(({ pattern }) => pattern.test(path))
  if (request.method === 'OPTIONS' && known.some(({ isPublic }) => isPublic)) return allowCrossOrigin(reply)
  if (sendPage && (isNavigation(request) || path === '/') && !/^\/(api|v1|v2)(\/|$)/.test(path))
    return sendPage(request, reply)
  if (known.length === 0) {
    return sendError(request, reply, new ApiError('NOT_FOUND', `Not Found: ${request.method} ${path} was not found`))
  }
  const methods = [...new Set(known.map(({ method }) => method))]
  reply.header('allow', methods.join(', '))
  const message = `${path} does not answer ${request.method}; it answers ${methods.join(', ')}.`
  return sendError(request, reply, new ApiError('METHOD_NOT_ALLOWED', message))
}

function allowCrossOrigin(reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .header('access-control-allow-origin', '*')
    .header('access-control-allow-methods', 'GET, POST, PATCH, DELETE')
    .header('access-control-allow-headers', '*')
    .send()
}

interface KnownPath {
  readonly method: string
  readonly pattern: RegExp
  readonly isPublic: boolean
}

let paths: KnownPath[] | undefined

function knownPaths(): KnownPath[] {
  paths ??= allRoutes().flatMap((route) =>
    mountedPaths(route).map((path) => ({
      method: route.method,
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      isPublic: route.access === 'public',
    })),
  )
  return paths
}
