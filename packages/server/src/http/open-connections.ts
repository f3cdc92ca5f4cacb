import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Node publishes each connection that a port of this process accepts, whatever serves the port. */
const ACCEPTED = 'net.server.socket'
const WARN_EVERY_MS = 60_000

/**
 * Limits the open connections of all ports together: each takes a file descriptor, which the stores need too. Over the limit, the
 * connection that has waited for longest without a request is closed, first of those that never had one; so idle connections,
 * however many, do not keep others out. When all are in use, the new one is closed.
 *
 * There is no limit per address: behind a proxy all clients have the same one.
 */
export class OpenConnections {
  private readonly open = new Set<Socket>()
  /** In the order of their arrival. */
  private readonly unused = new Set<Socket>()
  /** In the order of the end of their last request. */
  private readonly idle = new Set<Socket>()
  /** Requests under way; several may share a connection. */
  private readonly requests = new WeakMap<Socket, number>()
  private warnedAt = Number.NEGATIVE_INFINITY

  /** @param onFull  called when the limit is reached, at most once a minute */
  constructor(
    private readonly maxOpen: number,
    private readonly onFull: () => void,
  ) {}

  /** Counts connections from now on. @returns ends it */
  watch(): () => void {
    const add = (message: unknown) => this.add((message as { readonly socket: Socket }).socket)
    subscribe(ACCEPTED, add)
    return () => void unsubscribe(ACCEPTED, add)
  }

  add(socket: Socket): void {
    if (socket.destroyed) return
    if (this.open.size >= this.maxOpen && !this.closeIdle()) {
      socket.destroy()
      return
    }
    this.open.add(socket)
    // A port may have begun to read the request before.
    if (!this.requests.has(socket)) this.unused.add(socket)
    socket.once('close', () => this.remove(socket))
  }

  begin(socket: Socket): void {
    this.requests.set(socket, (this.requests.get(socket) ?? 0) + 1)
    this.unused.delete(socket)
    this.idle.delete(socket)
  }

  end(socket: Socket): void {
    const left = (this.requests.get(socket) ?? 1) - 1
    this.requests.set(socket, left)
    if (left === 0 && this.open.has(socket)) this.idle.add(socket)
  }

  /** Closes the connection that needs its place least. @returns false when all are in use */
  private closeIdle(): boolean {
    this.warn()
    for (const waiting of [this.unused, this.idle]) {
      for (const socket of waiting) {
        this.remove(socket)
        socket.destroy()
        return true
      }
    }
    return false
  }

  private remove(socket: Socket): void {
    this.open.delete(socket)
    this.unused.delete(socket)
    this.idle.delete(socket)
  }

  private warn(): void {
    if (performance.now() - this.warnedAt < WARN_EVERY_MS) return
    this.warnedAt = performance.now()
    this.onFull()
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    openConnections: OpenConnections
  }
}

/** Notes which connections of the HTTP port are in use. */
export function noteRequests(fastify: FastifyInstance, connections: OpenConnections): void {
  fastify.decorate('openConnections', connections)
  fastify.addHook('onRequest', async ({ raw: { socket } }, { raw: response }) => {
    connections.begin(socket)
    response.once('close', () => connections.end(socket))
  })
}
