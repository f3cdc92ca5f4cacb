import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface WorkspaceProxy {
  /** Without a trailing slash. */
  readonly url: string
  close(): Promise<void>
}

/**
 * How long an idle connection stays open: longer than the 72 s that the server promises in a header, which is passed on.
 * A client that believes it would send a request into a connection that Node's default of 5 s closes at that moment.
 */
const KEEP_ALIVE_MS = 80_000

/**
 * Passes requests on to a server unchanged but for one header: a request that names no workspace is for the given one.
 * On a server without keys and accounts, this makes browsers, clients and programs work in a workspace of their own.
 */
export async function startWorkspaceProxy(serverUrl: string, workspaceId: string): Promise<WorkspaceProxy> {
  const proxy = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (incoming, answer) =>
    passOn(serverUrl, workspaceId, incoming, answer),
  )
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve())
        proxy.closeAllConnections()
      }),
  }
}

function passOn(serverUrl: string, workspaceId: string, incoming: IncomingMessage, answer: ServerResponse): void {
  const headers = { 'x-tenant-id': workspaceId, ...incoming.headers }
  const onward = request(`${serverUrl}${incoming.url}`, { method: incoming.method!, headers }, (reply) => {
    answer.writeHead(reply.statusCode!, reply.headers)
    reply.pipe(answer)
    reply.once('error', () => answer.destroy())
  })
  onward.once('error', () => answer.destroy())
  // A caller that goes away ends its request to the server, too.
  answer.once('close', () => onward.destroy())
  incoming.pipe(onward)
}
