import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Marks an answer with what it was made from, and says whether the caller has it already: then answer 304. Answers may
 * be kept, but not by others than the caller, and only after asking.
 *
 * @param tag  same tag, same answer
 */
export function isKnown(request: FastifyRequest, reply: FastifyReply, tag: string): boolean {
  const etag = `"${tag}"`
  reply.header('etag', etag).header('cache-control', 'private, no-cache').header('vary', 'x-api-key, authorization')
  const known = request.headers['if-none-match']
  if (known === undefined) return false
  return known.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag)
}

/** Sends what `isKnown` has marked. */
export function sendMarked(reply: FastifyReply, json: string): FastifyReply {
  return reply.code(200).header('content-type', 'application/json').send(json)
}
