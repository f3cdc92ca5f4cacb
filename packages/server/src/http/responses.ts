import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { RawJson } from './serve.ts'

interface TextOptions {
  /** @default application/json */
  readonly contentType?: string
  /** File name of a download. */
  readonly fileName?: string
}

/**
 * Streams text without holding all of it. An error before the first piece is answered like any other error; a later error
 * breaks the connection, so that no client takes a part for the whole.
 */
export async function sendText(
  reply: FastifyReply,
  pieces: AsyncGenerator<string>,
  { contentType = 'application/json', fileName }: TextOptions = {},
): Promise<FastifyReply> {
  const first = await pieces.next()
  reply.header('content-type', contentType).header('cache-control', 'no-store')
  if (fileName !== undefined) reply.header('content-disposition', attachment(fileName))
  async function* all() {
    if (first.done) return
    yield first.value
    yield* pieces
  }
  return reply.send(Readable.from(all()))
}

/** Joins JSON values to one JSON list, page by page. */
export async function* jsonList(pages: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  let begin = '['
  for await (const texts of pages) {
    if (texts.length === 0) continue
    yield begin + texts.join(',')
    begin = ','
  }
  yield begin === '[' ? '[]' : ']'
}

/** `Content-Disposition` by RFC 6266: a plain name for old clients and a percent-encoded one. */
function attachment(fileName: string): string {
  const plain = fileName.replaceAll(/[^\w. -]/g, '_')
  const encoded = encodeURIComponent(fileName.toWellFormed()).replaceAll(/['()*]/g, (sign) => {
    return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`
  })
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}

/** Whether `If-None-Match` names an entity tag. Weak tags match too (RFC 9110, section 13.1.2). */
export function etagMatches(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim()) ?? []
  return tags.some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag)
}

/**
 * Sets the headers of a response that only this caller may cache, and only with revalidation.
 *
 * @param version  the same version means the same body
 * @returns the entity tag, for `etagMatches`
 */
export function setEtag(reply: FastifyReply, version: string): string {
  const etag = `"${version}"`
  reply.header('etag', etag).header('cache-control', 'private, no-cache')
  reply.header('vary', 'accept-encoding, x-api-key, authorization')
  return etag
}

/** Answers JSON with an entity tag, or 304 without making the JSON if the caller has this version. */
export async function sendJsonWithEtag(
  request: FastifyRequest,
  reply: FastifyReply,
  version: string,
  makeJson: () => string | Promise<string>,
): Promise<FastifyReply> {
  const etag = setEtag(reply, version)
  if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send()
  const json = await makeJson()
  return reply.code(200).header('content-type', 'application/json').send(json)
}

/**
 * Answers a page as JSON, or as an event stream if `Accept` names an event stream and not JSON.
 *
 * The stream is one event that sets the whole document by a JSON patch, then `event: end`. Clients that ask for a stream
 * would read a JSON answer as a page without items and without an error.
 *
 * @returns the result of a route handler
 */
export function answerPage(request: FastifyRequest, reply: FastifyReply, page: object): unknown {
  if (!wantsEventStream(request.headers.accept)) return page
  const json = page instanceof RawJson ? String(page.text) : JSON.stringify(page)
  return reply.header('content-type', 'text/event-stream').header('cache-control', 'no-store').send(pageEvents(json))
}

/** Whether an `Accept` header names an event stream and does not name JSON. Wildcards count for JSON. */
export function wantsEventStream(accept: string | undefined): boolean {
  const types = (accept ?? '').split(',').map((range) => range.replace(/;.*/s, '').trim().toLowerCase())
  const acceptsJson = types.some((type) => type === 'application/json' || type === 'application/*' || type === '*/*')
  return types.includes('text/event-stream') && !acceptsJson
}

/** Payloads keep their line breaks; each line of an event needs the field name. */
function pageEvents(json: string): string {
  const patch = `[{"op":"replace","path":"","value":${json}}]`
  return `event: data\ndata: ${patch.replaceAll(/\r\n|\r|\n/g, '\ndata: ')}\n\nevent: end\n\n`
}

/** Aborted when the connection closes, for work that is useless without its client. */
export function abortOnDisconnect(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  // It may have closed before.
  if (reply.raw.destroyed) gone.abort()
  return gone.signal
}
