import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserServer } from 'playwright-core'
import { openBrowserServer } from './browser.ts'
import { type StartedServer, startServer } from './start-server.ts'

/** A server and a browser that the files of one worker share, one after the other. */
export interface Shared {
  /** Without a trailing slash. */
  readonly serverUrl: string
  /** Endpoint of the browser for `chromium.connect`. */
  readonly browserUrl: string
}

/** How a shared server is. */
export interface SharedState {
  /** It runs, and no key and no account has closed it. */
  readonly isUsable: boolean
  /** The last lines that it printed. */
  readonly output: string
}

/**
 * Keeps one server and one browser per worker for the suites that need no server of their own. They start when a file
 * asks for them, and again after they have ended. A file asks at `TOUCHSTONE_SHARED_SERVERS/<worker>`, and asks
 * `.../<worker>/state` at its end, so that the file during which a server ended is the one that fails.
 */
export default async function shareServers() {
  const running = new Map<string, Promise<Running>>()
  const all: Promise<Running>[] = []
  const start = (worker: string) => {
    const starting = startBoth()
    running.set(worker, starting)
    all.push(starting)
    return starting
  }
  const control = createServer(async (request, response) => {
    const [, worker = '', state] = (request.url ?? '').split('/')
    try {
      const found = await running.get(worker)
      const answer =
        state === 'state' ? await describe(found) : toShared((await isUsable(found)) ? found! : await start(worker))
      response.end(JSON.stringify(answer))
    } catch (error) {
      running.delete(worker)
      response.writeHead(500).end(String(error))
    }
  })
  await new Promise<void>((resolve) => control.listen(0, '127.0.0.1', resolve))
  process.env.TOUCHSTONE_SHARED_SERVERS = `http://127.0.0.1:${(control.address() as AddressInfo).port}`
  return async () => {
    control.close()
    for (const { server, browser } of await Promise.all(all)) {
      await browser.close()
      await server.stop()
    }
  }
}

interface Running {
  readonly server: StartedServer
  readonly browser: BrowserServer
  /** Set when the server or the browser has ended. */
  readonly ended: { is: boolean }
}

async function startBoth(): Promise<Running> {
  const [server, browser] = await Promise.all([startServer(), openBrowserServer()])
  const ended = { is: false }
  void server.exited.then(() => (ended.is = true))
  browser.on('close', () => (ended.is = true))
  return { server, browser, ended }
}

/** A server that a test has closed by a key or an account is of no use to the next file, either. */
async function isUsable(running: Running | undefined): Promise<boolean> {
  if (running === undefined || running.ended.is) return false
  const answer = await fetch(`${running.server.url}/api/v1/settings`).catch(() => undefined)
  return answer?.ok === true
}

const toShared = ({ server, browser }: Running): Shared => ({ serverUrl: server.url, browserUrl: browser.wsEndpoint() })

const describe = async (running: Running | undefined): Promise<SharedState> => ({
  isUsable: await isUsable(running),
  output: running?.server.output().slice(-4_000) ?? '',
})
