import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Heard {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Receiver {
  /** `http://127.0.0.1:port` */
  readonly url: string
  /** The received requests, in order. */
  readonly heard: Heard[]
  /** Status of further answers. @default 200 */
  status: number
  /** Headers of its answers. @default none */
  headers: Record<string, string>
  /** Body of its answers; false for no answer at all. @default the number of requests */
  body: string | false | undefined
  close(): Promise<void>
}

/** A server of another party on this machine that records its requests. */
export async function aReceiver(): Promise<Receiver> {
  const heard: Heard[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    heard.push({ path: request.url!, headers: request.headers, body: Buffer.concat(chunks).toString('utf8') })
    if (receiver.body === false) return
    response.writeHead(receiver.status, receiver.headers).end(receiver.body ?? `heard ${heard.length}`)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    status: 200,
    headers: {},
    body: undefined,
    close() {
      server.closeAllConnections()
      return new Promise<void>((done) => server.close(() => done()))
    },
  }
  return receiver
}
