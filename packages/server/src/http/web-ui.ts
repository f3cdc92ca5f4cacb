import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import { ApiError, allRoutes, mountedPaths } from '@touchstone/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendError } from './error-handler.ts'

/** Sends the page of the web UI; undefined without a built UI. */
export type SendPage = (request: FastifyRequest, reply: FastifyReply, status?: number) => FastifyReply

/** Paths that are a page for a browser and a resource for a program. */
const SHARED_PATH = /^\/(projects|datasets|prompts|settings)(\/|\?|$)/

/**
 * Serves the built web UI beside the API: files by name, and its page for every navigation of a browser that the API
 * does not answer. If both have a path, a navigation gets the page and a program the resource.
 *
 * @returns undefined when `webDir` contains no built UI
 */
export async function serveWebUi(fastify: FastifyInstance, webDir: string | undefined): Promise<SendPage | undefined> {
  if (webDir === undefined || !existsSync(join(webDir, 'index.html'))) return undefined
  const page = readFileSync(join(webDir, 'index.html'), 'utf8')
  const pageHeaders = { ...SAFE_HEADERS, 'content-security-policy': policyFor(page), 'cache-control': 'no-cache' }

  const sendPage: SendPage = (request, reply, status = 200) => {
    // A person with the link may read; a search engine must not list it.
    if (request.url.startsWith('/public/')) reply.header('x-robots-tag', 'noindex, nofollow')
    return reply.code(status).headers(pageHeaders).type('text/html; charset=utf-8').send(page)
  }

  fastify.addHook('onRequest', async (request, reply) => {
    if (isNavigation(request) && SHARED_PATH.test(request.url)) return sendPage(request, reply)
  })
  await fastify.register(fastifyStatic, {
    root: webDir,
    wildcard: false, // only files that exist at start: no path can lead outside
    index: false,
    cacheControl: false,
    preCompressed: true,
    setHeaders: (reply, path) => {
      const isHashed = path.startsWith(join(webDir, 'assets'))
      const isPage = path.endsWith('index.html')
      const headers = isPage ? pageHeaders : { ...SAFE_HEADERS, 'cache-control': isHashed ? FOREVER : 'no-cache' }
      for (const [name, value] of Object.entries(headers)) reply.header(name, value)
    },
  })
  return sendPage
}

/** Whether a browser requests a page, and not a program a resource. */
export function isNavigation({ method, headers }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const mode = headers['sec-fetch-mode']
  return (mode === undefined || mode === 'navigate') && (headers.accept ?? '').includes('text/html')
}

const FOREVER = 'public, max-age=31536000, immutable'

const SAFE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}

/** Scripts run only from our files, and inline in the built page, allowed by their hash. */
function policyFor(page: string): string {
  const inline = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, script]) => `'sha256-${createHash('sha256').update(script!).digest('base64')}'`,
  )
  return [
    "default-src 'none'",
    `script-src 'self' ${inline.join(' ')}`.trim(),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "frame-src 'self' blob:",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Answers paths and methods that are not in the contract: pages, preflight requests of browsers, and mistakes. */
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
