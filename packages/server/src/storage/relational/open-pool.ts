import { Socket } from 'node:net'
import pg from 'pg'

/** Times after which a PostgreSQL server that cannot be reached is given up. */
export interface PostgresLimits {
  /** Time for a new connection, or until a connection of the pool is free. */
  readonly connectMs: number
  /** Silence of a connection in use, after which the server is asked whether it is still there. */
  readonly silenceMs: number
}

export const POSTGRES_LIMITS: PostgresLimits = { connectMs: 10_000, silenceMs: 10_000 }

/** Locks of a process whose machine is gone are released after a minute. Without effect on sockets of Unix. */
export const KEEP_ALIVE_OF_SERVER = '-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3'

/**
 * Opens a pool of connections to PostgreSQL that outlives each of them: when a connection ends between two statements of a
 * transaction, the next statement fails. The pool itself listens to idle connections only, and an error event without a
 * listener would end the process.
 *
 * @param onIdleError  called when an idle connection breaks; the pool opens another one
 */
export function openPool(
  { connectionString, ...config }: pg.PoolConfig & { readonly connectionString: string },
  onIdleError: (error: Error) => void,
  limits = POSTGRES_LIMITS,
): pg.Pool {
  const pool = new pg.Pool({ ...config, ...toConnectionOptions(connectionString, limits) })
  pool.on('error', onIdleError)
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/**
 * Options of connections that end once the server is gone without a word, as when a network drops its packets: the operating
 * system would repeat what was sent for a quarter of an hour. A statement may take as long as it needs while the server
 * answers another connection, so there is no limit on its time.
 */
export function toConnectionOptions(url: string, limits = POSTGRES_LIMITS) {
  let asked: Promise<Error | undefined> | undefined
  const findOutage = () => {
    asked ??= askServer(url, limits.connectMs).finally(() => {
      asked = undefined
    })
    return asked
  }
  return {
    connectionString: url,
    connectionTimeoutMillis: limits.connectMs,
    // The operating systems of both ends ask for a kept connection, so that each sees when the other is gone.
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    stream: () => {
      const socket = new Socket().setTimeout(limits.silenceMs)
      socket.on('timeout', async () => {
        const outage = await findOutage()
        if (outage === undefined) socket.setTimeout(limits.silenceMs)
        else socket.destroy(outage)
      })
      return socket
    },
  } satisfies pg.ClientConfig
}

/** Whether the server answers a connection of its own: the error when it does not. */
async function askServer(url: string, connectMs: number): Promise<Error | undefined> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectMs,
    query_timeout: connectMs,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return undefined
  } catch (cause) {
    // A refusal is an answer, e.g. of a server that has no connection left.
    if (cause instanceof pg.DatabaseError) return undefined
    return Object.assign(new Error('the server does not answer', { cause }), { code: 'ETIMEDOUT' })
  } finally {
    client.end().catch(() => {})
  }
}
