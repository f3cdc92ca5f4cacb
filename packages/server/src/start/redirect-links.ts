import { createServer, type Server } from 'node:http'

/**
 * Redirects requests at a port of loopback, 80 in general, to the server: the Python client prints every link of a local
 * server as `http://localhost/…`, without its port.
 *
 * @param port    to listen on
 * @param origin  of the server, `http://localhost:3000`
 * @returns the function that stops it; undefined when the port needs privileges or is taken at one address of `localhost`,
 *   because programs choose either
 */
export async function redirectLinks(port: number, origin: string): Promise<(() => Promise<void>) | undefined> {
  const servers: Server[] = []
  const stop = async () => {
    await Promise.all(servers.map(close))
  }
  try {
    servers.push(await listen(port, '127.0.0.1', origin))
    servers.push(await listen(port, '::1', origin))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const hasNoIpv6 = servers.length > 0 && (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT')
    if (hasNoIpv6) return stop
    await stop()
    return undefined
  }
  return stop
}

async function listen(port: number, host: string, origin: string): Promise<Server> {
  const server = createServer((request, response) => {
    // Temporary: the server may have another port tomorrow.
    response.writeHead(307, { location: `${origin}${toPath(request.url)}`, 'cache-control': 'no-store' }).end()
  })
  // The links are an extra of the running server, so they neither keep it running nor hold it when it stops.
  server.unref()
  server.keepAliveTimeout = 1
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, ipv6Only: true }, () => resolve(server))
  })
}

/** A request may also name a whole URL, which must not lead elsewhere. */
const toPath = (url = '/') => (url.startsWith('/') ? url : '/')

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
