import type { buildConnector } from 'undici'

/** What the end of a connection is called. */
const ENDS: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])
/** A call on an ended connection fails within a round trip; after a longer time, the other side may have worked on it. */
const MAX_MS = 2_000

/**
 * Knows which calls failed because they were sent on a connection that had waited, and was ended for waiting. They may be
 * made again: no one has seen them.
 */
export class ConnectionAges {
  /** When the connection of an error was opened. */
  readonly #opened = new WeakMap<object, number>()

  /** Notes the connections that a connector opens. */
  observe(connect: buildConnector.connector): buildConnector.connector {
    return (options, done) =>
      connect(options, (...answer) => {
        const [, socket] = answer
        const openedAt = performance.now()
        // Before undici listens: it passes the same error on to the call.
        socket?.on('error', (error) => this.#opened.set(error, openedAt))
        done(...answer)
      })
  }

  /** Whether a call that began at this time, and got no answer, was sent on such a connection. */
  isStale(error: unknown, startedAt: number): boolean {
    if (typeof error !== 'object' || error === null || !('code' in error) || !ENDS.has(error.code)) return false
    const openedAt = this.#opened.get(error)
    return openedAt !== undefined && openedAt < startedAt && performance.now() - startedAt < MAX_MS
  }
}
