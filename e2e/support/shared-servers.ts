import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startServer } from './start-server.ts'

/** How a shared server is. */
export interface SharedState {
  /** It runs, and no key and no account has closed it. */
  readonly isUsable: boolean
  /** The last lines that it printed. */
  readonly output: string
}

/**
 * Keeps servers for the suites that need none of their own: one per worker, which its files share one after the other. They start
 * when a file asks for them, and again after they have ended. A file asks at `TOUCHSTONE_SHARED_SERVERS/<name>/server` for a URL,
 * and asks `.../state` at its end, so that the file during which a server ended is the one that fails.
 */
export default async function shareServers() {
  // Several projects of Vitest have this set-up.
  if (process.env.TOUCHSTONE_SHARED_SERVERS) return
  const servers = new Shared(startShared)
  const answers: Record<string, (name: string) => Promise<unknown>> = {
    server: async (name) => (await servers.get(name)).url,
    state: (name) => servers.describe(name),
  }
  const control = createServer(async (request, response) => {
    const [, name = '', what = ''] = (request.url ?? '').split('/')
    try {
      response.end(JSON.stringify(await answers[what]!(name)))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  await new Promise<void>((resolve) => control.listen(0, '127.0.0.1', resolve))
  process.env.TOUCHSTONE_SHARED_SERVERS = `http://127.0.0.1:${(control.address() as AddressInfo).port}`
  return async () => {
    control.close()
    await servers.stop()
  }
}

interface Running {
  readonly url: string
  /** Whether the next file can use it. */
  isUsable(): Promise<boolean>
  output(): string
  stop(): Promise<unknown>
}

/** What was started under a name, started again when it has ended. */
class Shared {
  readonly #running = new Map<string, Promise<Running>>()
  readonly #all: Promise<Running>[] = []

  constructor(private readonly start: () => Promise<Running>) {}

  async get(name: string): Promise<Running> {
    const found = await this.#running.get(name)?.catch(() => undefined)
    if (found !== undefined && (await found.isUsable())) return found
    const starting = this.start()
    this.#running.set(name, starting)
    this.#all.push(starting)
    return starting
  }

  async describe(name: string): Promise<SharedState> {
    const found = await this.#running.get(name)?.catch(() => undefined)
    return { isUsable: (await found?.isUsable()) ?? false, output: found?.output().slice(-4_000) ?? '' }
  }

  async stop(): Promise<void> {
    for (const started of await Promise.allSettled(this.#all)) {
      if (started.status === 'fulfilled') await started.value.stop()
    }
  }
}

async function startShared(): Promise<Running> {
  const server = await startServer()
  const { url, output, stop } = server
  let hasEnded = false
  void server.exited.then(() => (hasEnded = true))
  // A server that a test has closed by a key or an account is of no use to the next file, either.
  const isUsable = async () => {
    if (hasEnded) return false
    const answer = await fetch(`${url}/api/v1/settings`).catch(() => undefined)
    return answer?.ok === true
  }
  return { url, output, stop, isUsable }
}
