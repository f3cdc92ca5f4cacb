import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A proxy between a server and one of its stores, which can take the store away. */
export interface StoreProxy {
  /** The URL of the store, with the address of the proxy. */
  readonly url: string
  /** Breaks all connections and refuses new ones: a store that was killed. */
  refuse(): Promise<void>
  /** Passes nothing on and accepts connections: a store, or a network, that stands still. */
  freeze(): void
  /** The store is back. */
  restore(): Promise<void>
  close(): Promise<void>
}

export async function startStoreProxy(storeUrl: string): Promise<StoreProxy> {
  const store = new URL(storeUrl)
  const pairs = new Set<readonly [Socket, Socket]>()
  let isFrozen = false

  const server = createServer((near) => {
    const far = connect(Number(store.port), store.hostname)
    const pair = [near, far] as const
    pairs.add(pair)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.pipe(to)
      if (isFrozen) from.pause()
      // The other end sees the same as this one.
      from.on('error', () => to.destroy())
      from.on('close', () => {
        to.destroy()
        pairs.delete(pair)
      })
    }
  })
  const port = await listen(server, 0)

  const url = new URL(storeUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  const cut = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
  }
  const stop = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    cut()
    await closed
  }
  return {
    url: url.toString().replace(/\/$/, ''),
    refuse: stop,
    freeze() {
      isFrozen = true
      for (const pair of pairs) for (const socket of pair) socket.pause()
    },
    async restore() {
      isFrozen = false
      for (const pair of pairs) for (const socket of pair) socket.resume()
      if (!server.listening) await listen(server, port)
    },
    close: stop,
  }
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as { port: number }).port
}
