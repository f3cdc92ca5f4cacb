import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

/** The fault of a request; `undefined` passes the request on unchanged. */
export interface Fault {
  readonly status: number
  /** The server stores the request first, and only its response is lost. @default false */
  readonly afterStoring?: boolean
}

export interface SeenRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

export interface FaultyProxy {
  /** URL for the client, instead of the server's. */
  readonly url: string
  /** All requests in the order of their arrival. */
  readonly seen: readonly SeenRequest[]
  close(): Promise<void>
}

/** A proxy between a client and the server that answers some requests like a broken or older server. */
export async function startFaultyProxy(
  serverUrl: string,
  faultOf: (request: SeenRequest) => Fault | undefined = () => undefined,
): Promise<FaultyProxy> {
  const seen: SeenRequest[] = []
  const proxy = createServer(async (incoming, answer) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { pathname: path } = new URL(incoming.url!, 'http://proxy')
    const one = { method: incoming.method!, path, headers: incoming.headers, body: Buffer.concat(chunks) }
    seen.push(one)
    const fault = faultOf(one)
    if (fault !== undefined && !fault.afterStoring) return fail(answer, fault)
    passOn(serverUrl, incoming, one.body, answer, fault)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve())
        proxy.closeAllConnections()
      }),
  }
}

function fail(answer: ServerResponse, { status }: Fault) {
  answer.writeHead(status, { 'content-type': 'application/json' })
  answer.end(JSON.stringify({ detail: `answered ${status} by the proxy of this test` }))
}

function passOn(serverUrl: string, incoming: IncomingMessage, body: Buffer, answer: ServerResponse, fault?: Fault) {
  const { host: _, 'transfer-encoding': __, ...headers } = incoming.headers
  const onward = request(
    `${serverUrl}${incoming.url}`,
    { method: incoming.method!, headers: { ...headers, 'content-length': body.length } },
    (reply) => {
      if (fault === undefined) {
        answer.writeHead(reply.statusCode!, reply.headers)
        reply.pipe(answer)
        return
      }
      reply.once('end', () => fail(answer, fault))
      reply.resume()
    },
  )
  onward.once('error', () => answer.destroy())
  onward.end(body)
}
