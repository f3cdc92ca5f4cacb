import { createServer, type Server, type Socket } from 'node:net'
import type { ConnectionInjector } from '@grpc/grpc-js'
import type { FastifyInstance } from 'fastify'

/** How a client begins a connection. */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
/** Time until the preface has arrived. */
const PREFACE_MS = 10_000
/** Time until the first call. */
const FIRST_CALL_MS = 60_000
/** A connection may reset this many calls in this time; exporters reset those whose deadline has passed. */
const MAX_RESETS = 100
const RESETS_MS = 10_000
const LOG_EVERY_MS = 60_000

/** A connection as its calls see it. */
export interface GrpcConnection {
  /** A call begins. */
  begin(): void
  /** A call was answered or reset. */
  end(): void
  /** The sender ended a call before its answer. Ends the connection when it does so all the time. */
  noteReset(): void
}

/**
 * Accepts the connections of gRPC exporters under the limits of the whole process, and gives them to the gRPC server when they
 * have sent the preface: until then they cost a socket and a timer.
 */
export class GrpcPort {
  private readonly connections = new Map<string, GrpcConnection>()
  private readonly sockets = new Set<Socket>()
  private readonly withoutPreface = new Set<Socket>()
  private server: Server | undefined
  private loggedAt = Number.NEGATIVE_INFINITY

  constructor(private readonly app: Pick<FastifyInstance, 'openConnections' | 'log'>) {}

  /** @throws Error when the port is taken */
  async listen(injector: ConnectionInjector, host: string, port: number): Promise<void> {
    const server = createServer((socket) => this.accept(socket, injector))
    this.server = server
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port }, () => {
        server.off('error', reject)
        resolve()
      })
    })
  }

  /** @param peer  address and port of the client, as gRPC writes them */
  find(peer: string): GrpcConnection | undefined {
    return this.connections.get(peer)
  }

  /** Accepts no more connections and closes those without a preface. */
  close(): void {
    this.server?.close()
    for (const socket of this.withoutPreface) socket.destroy()
  }

  /** Ends all connections; without statistics of its own (`enable_channelz`), the gRPC server does not know them. */
  destroy(): void {
    for (const socket of this.sockets) socket.destroy()
  }

  private accept(socket: Socket, injector: ConnectionInjector): void {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`
    this.sockets.add(socket)
    this.withoutPreface.add(socket)
    const timer = new ReplaceableTimer(() => socket.destroy())
    timer.start(PREFACE_MS)
    socket.on('error', () => undefined) // a reset is also a close
    socket.once('close', () => {
      timer.stop()
      this.sockets.delete(socket)
      this.withoutPreface.delete(socket)
      this.connections.delete(peer)
    })
    readPreface(socket, () => {
      this.withoutPreface.delete(socket)
      timer.start(FIRST_CALL_MS)
      this.connections.set(peer, this.toConnection(socket, peer, timer))
      injector.injectConnection(socket)
    })
  }

  private toConnection(socket: Socket, peer: string, timer: ReplaceableTimer): GrpcConnection {
    const { openConnections } = this.app
    let resets = 0
    let sinceMs = performance.now()
    return {
      begin() {
        timer.stop()
        openConnections.begin(socket)
      },
      end: () => openConnections.end(socket),
      noteReset: () => {
        if (performance.now() - sinceMs > RESETS_MS) {
          resets = 0
          sinceMs = performance.now()
        }
        resets++
        if (resets <= MAX_RESETS || socket.destroyed) return
        socket.destroy()
        this.warn(`The gRPC connection of ${peer} was closed: it reset ${resets} calls within ${RESETS_MS / 1000} s.`)
      },
    }
  }

  private warn(message: string): void {
    if (performance.now() - this.loggedAt < LOG_EVERY_MS) return
    this.loggedAt = performance.now()
    this.app.log.warn(message)
  }
}

/** Calls back with the preface unread; closes a connection that begins with something else. */
function readPreface(socket: Socket, callBack: () => void): void {
  const read = () => {
    const bytes = socket.read(PREFACE.length) as Buffer | null
    if (bytes === null) return
    socket.off('readable', read)
    if (!bytes.equals(PREFACE)) {
      socket.destroy()
      return
    }
    socket.unshift(bytes)
    callBack()
  }
  socket.on('readable', read)
}

class ReplaceableTimer {
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly work: () => void) {}

  start(ms: number): void {
    this.stop()
    this.timer = setTimeout(this.work, ms).unref()
  }

  stop(): void {
    clearTimeout(this.timer)
  }
}
