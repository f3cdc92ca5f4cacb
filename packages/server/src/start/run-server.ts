import type { AddressInfo } from 'node:net'
import { uuid7 } from '@touchstone/contract'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { buildApp } from '../app.ts'
import type { Config } from '../config.ts'
import { existsValidKey, isLoopback } from '../features/auth/index.ts'
import { createMetrics } from '../http/metrics.ts'
import { type Engines, openEngines } from '../storage/open-engines.ts'
import { printBanner } from './banner.ts'
import { findWebUi } from './find-web-ui.ts'
import { createLogger } from './logger.ts'
import { stopOnSignals } from './stop-on-signals.ts'

/** The server cannot start for a reason that the operator can change; the message says how. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** Opens the engines, builds the app, listens, says where; stops all of it, in reverse, on a signal. */
export async function runServer(given: Config): Promise<void> {
  const config = { ...given, webDir: given.webDir ?? findWebUi() }
  const log = createLogger(config.logLevel)
  const engines = await open(config, log)
  try {
    await refuseOpenDoor(config, engines)
    const app = await buildApp({ config, log, clock: Date.now, ids: uuid7, metrics: createMetrics(), ...engines })
    stopOnSignals(log, async () => {
      await app.close()
      await engines.close()
    })
    if (!config.roles.includes('api')) return
    await listen(app, config)
    const { port } = app.server.address() as AddressInfo
    printBanner({ ...config, port }, await existsValidKey(engines))
  } catch (error) {
    await engines.close()
    throw error
  }
}

async function open(config: Config, log: Logger): Promise<Engines> {
  try {
    return await openEngines(config, log)
  } catch (error) {
    throw new StartError((error as Error).message, { cause: error })
  }
}

/** Everybody on the network could read and write a server that asks for no key. */
async function refuseOpenDoor(config: Config, engines: Engines): Promise<void> {
  if (isLoopback(config.host) || (await existsValidKey(engines))) return
  throw new StartError(
    `Touchstone does not listen on ${config.host} before it has an API key. Create the first one with:\n\n` +
      '  npm start -- --create-key NAME\n\n' +
      `(with an installed package: touchstone-server --create-key NAME; data directory: ${config.dataDir})`,
  )
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') {
      throw new StartError(`Port ${port} is taken by another program. Stop it, or choose another with --port.`)
    }
    if (code === 'EACCES') throw new StartError(`Port ${port} needs privileges. Choose one above 1023 with --port.`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') throw new StartError(`${host} is no address of this machine.`)
    throw error
  }
}
