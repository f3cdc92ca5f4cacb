import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import fastifyStatic from '@fastify/static'
import { ApiError, allRoutes, mountedPaths } from '@touchstone/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { chooseEncoding, varyByEncoding } from './compression.ts'
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
  const page = readFileSync(join(webDir, 'index.html'))
  const pageHeaders = {
    ...SAFE_HEADERS,
    'cross-origin-opener-policy': 'same-origin',
    'content-security-policy': policyFor(page.toString()),
    'cache-control': 'no-cache',
  }
  const compressed = { br: brotliCompressSync(page), gzip: gzipSync(page) }

  const sendPage: SendPage = (request, reply, status = 200) => {
    // A person with the link may read; a search engine must not list it.
    if (request.url.startsWith('/public/')) reply.header('x-robots-tag', 'noindex, nofollow')
    reply.code(status).headers(pageHeaders).type('text/html; charset=utf-8')
    varyByEncoding(reply)
    const encoding = chooseEncoding(request)
    if (encoding === undefined) return reply.send(page)
    return reply.header('content-encoding', encoding).send(compressed[encoding])
  }

  fastify.addHook('onRequest', async (request, reply) => {
    if (isNavigation(request) && SHARED_PATH.test(request.url)) return sendPage(request, reply)
  })
  await fastify.register(fastifyStatic, {
    root: webDir,
    serve: false,
    cacheControl: false,
    preCompressed: true,
    // The first page asks for seven files: their validator is the ETag.
    lastModified: false,
    setHeaders: (reply, path) => {
      const isHashed = path.startsWith(join(webDir, 'assets'))
      reply.headers({ ...SAFE_HEADERS, 'cache-control': isHashed ? FOREVER : 'no-cache' })
    },
  })
  serveFiles(fastify, webDir)
  fastify.get('/index.html', (request, reply) => sendPage(request, reply))
  return sendPage
}

/**
 * Serves the files that exist at start, so no path can lead outside: those of a folder by one route. The build writes
 * compressed copies (`.br`, `.gz`) beside them, which answer for their file only.
 */
function serveFiles(fastify: FastifyInstance, webDir: string): void {
  const entries = readdirSync(webDir, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile())
  const paths = entries.map((entry) => relative(webDir, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
  const files = new Set(paths.filter((path) => path !== 'index.html' && !/\.(br|gz)$/.test(path)))
  const folders = new Set([...files].filter((file) => file.includes('/')).map((file) => file.replace(/[^/]*$/, '')))
  const send = (reply: FastifyReply, file: string) => (files.has(file) ? reply.sendFile(file) : reply.callNotFound())
  for (const folder of folders) {
    fastify.get<{ Params: { '*': string } }>(`/${folder}*`, ({ params }, reply) => send(reply, folder + params['*']))
  }
  for (const file of files) {
    if (!file.includes('/')) fastify.get(`/${file}`, (_, reply) => send(reply, file))
  }
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
  const path = (request.url.split('?')[0] ?? '').replace(/(?<=[^/])\/+$|(?<=^\/)\/+$/, '')
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
