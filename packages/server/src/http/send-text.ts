import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

export interface TextAnswer {
  /** @default application/json */
  readonly contentType?: string
  /** Set for a download: the name the file is to have. */
  readonly fileName?: string
}

/**
 * Answers text as it is made, never holding all of it. What goes wrong before the first piece is answered as any error;
 * later it breaks the connection, so that nobody takes a part for the whole.
 */
export async function sendText(
  reply: FastifyReply,
  pieces: AsyncGenerator<string>,
  { contentType = 'application/json', fileName }: TextAnswer = {},
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

/** Texts of JSON values as one list, piece by piece. */
export async function* jsonList(pages: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  let begin = '['
  for await (const texts of pages) {
    if (texts.length === 0) continue
    yield begin + texts.join(',')
    begin = ','
  }
  yield begin === '[' ? '[]' : ']'
}

/** RFC 6266: plain for old readers, percent-encoded for all others. */
function attachment(fileName: string): string {
  const plain = fileName.replaceAll(/[^\w. -]/g, '_')
  const encoded = encodeURIComponent(fileName.toWellFormed()).replaceAll(/['()*]/g, (sign) => {
    return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`
  })
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
