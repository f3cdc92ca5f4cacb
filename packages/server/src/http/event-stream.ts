import type { FastifyReply, FastifyRequest } from 'fastify'
import { RawJson } from './raw-json.ts'

/**
 * Answers a page in the form that the request asks for: JSON, or an event stream where `Accept` names one and not JSON.
 *
 * The stream is one event that sets the whole document by a JSON patch, then `event: end`. Clients that ask for a stream
 * read a JSON answer as a page without items and without an error.
 *
 * @returns what the handler of a route returns
 * @see contract/clients-2026-11.md §5.2
 */
export function answerPage(request: FastifyRequest, reply: FastifyReply, page: object): unknown {
  if (!wantsEventStream(request.headers.accept)) return page
  const json = page instanceof RawJson ? String(page.text) : JSON.stringify(page)
  return reply.header('content-type', 'text/event-stream').header('cache-control', 'no-store').send(pageEvents(json))
}

/** Whether an `Accept` header names an event stream and does not name JSON. Wildcards count for JSON. */
export function wantsEventStream(accept: string | undefined): boolean {
  const types = (accept ?? '').split(',').map((range) => range.split(';')[0]!.trim().toLowerCase())
  const takesJson = types.some((type) => type === 'application/json' || type === 'application/*' || type === '*/*')
  return types.includes('text/event-stream') && !takesJson
}

/** Payloads keep the line breaks that they were sent with; each line of an event needs the field name again. */
function pageEvents(json: string): string {
  const patch = `[{"op":"replace","path":"","value":${json}}]`
  return `event: data\ndata: ${patch.replaceAll(/\r\n|\r|\n/g, '\ndata: ')}\n\nevent: end\n\n`
}
