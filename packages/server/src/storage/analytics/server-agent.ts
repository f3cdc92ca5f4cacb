import http from 'node:http'
import https from 'node:https'

/** Times after which a ClickHouse server that cannot be reached is given up. */
export interface ClickHouseLimits {
  readonly connectMs: number
  /** Silence while a response is awaited. */
  readonly responseMs: number
}

export const CLICKHOUSE_LIMITS: ClickHouseLimits = { connectMs: 10_000, responseMs: 30_000 }

/** As many as the client opens by itself. */
const MAX_CONNECTIONS = 10

/**
 * The connections to a ClickHouse server. Of the client's own agent, a connection that is not made waits as long as a response,
 * and requests that wait for a free connection have no limit: behind a network that drops packets, each ten of them would
 * wait for the ten before them.
 */
export function createServerAgent(url: string, { connectMs }: ClickHouseLimits): http.Agent {
  const options = { keepAlive: true, maxSockets: MAX_CONNECTIONS }
  const isEncrypted = url.startsWith('https:')
  const agent = isEncrypted ? new https.Agent(options) : new http.Agent(options)

  /** Fails the requests that wait for a connection, unless it was one slow statement that timed out. */
  const failWaiting = async () => {
    if (await isAnswering(url, connectMs)) return
    for (const request of Object.values(agent.requests).flat()) request?.destroy(timedOut('no connection became free'))
  }
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (...given) => {
    const socket = connect(...given)
    const alarm = setTimeout(() => {
      socket?.destroy(timedOut('no connection was made'))
      void failWaiting()
    }, connectMs)
    const stop = () => clearTimeout(alarm)
    socket
      ?.once(isEncrypted ? 'secureConnect' : 'connect', stop)
      .once('close', stop)
      .on('timeout', failWaiting)
    return socket
  }
  return agent
}

/** Whether the server answers on a connection of its own. */
function isAnswering(url: string, timeoutMs: number): Promise<boolean> {
  const { get } = url.startsWith('https:') ? https : http
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(timeoutMs)
    get(new URL('/ping', url), { agent: false, signal }, (response) => {
      response.resume()
      resolve(true)
    }).on('error', () => resolve(false))
  })
}

const timedOut = (message: string) => Object.assign(new Error(message), { code: 'ETIMEDOUT' })
