import type { AddressInfo } from 'node:net'
import { uuid7 } from '@touchstone/contract'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { buildApp } from '../app.ts'
import type { Config } from '../config.ts'
import { existsPerson } from '../features/accounts/index.ts'
import { existsKey } from '../features/auth/index.ts'
import { isLoopback } from '../http/loopback.ts'
import { createMetrics } from '../http/metrics.ts'
import { MINIMUM_MEMORY_BYTES } from '../memory.ts'
import { damagedStoreError, findDamage } from '../storage/damage.ts'
import { type Engines, isEmbedded, openEngines } from '../storage/open-engines.ts'
import { printBanner } from './banner.ts'
import { findWebUi } from './find-web-ui.ts'
import { createLogger } from './logger.ts'
import { newSetupCode } from './setup-code.ts'
import { stopOnSignals } from './stop-on-signals.ts'

/** The server cannot start for a reason that the operator can change; the message says how. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** Opens the engines, builds the app, listens, says where; stops all of it, in reverse, on a signal. */
export async function runServer(given: Config): Promise<void> {
  const log = createLogger(given.logLevel)
  refuseLittleMemory(given)
  const engines = await open(given, log)
  try {
    const door = await findDoor(given, engines)
    const config = { ...given, ...door, webDir: given.webDir ?? findWebUi() }
    const app = await buildApp({ config, log, clock: Date.now, ids: uuid7, metrics: createMetrics(), ...engines })
    stopOnSignals(log, async () => {
      await app.close()
      await engines.close()
    })
    if (!config.roles.includes('api')) return
    await listen(app, config)
    const { port } = app.server.address() as AddressInfo
    printBanner({ ...config, port }, door)
  } catch (error) {
    await engines.close().catch((closing) => log.error({ err: closing }, 'closing the engines failed'))
    const damage = findDamage(error)
    if (damage === undefined) throw error
    throw new StartError(damagedStoreError('data', given.dataDir, damage).message, { cause: error })
  }
}

async function open(config: Config, log: Logger): Promise<Engines> {
  try {
    return await openEngines(config, log)
  } catch (error) {
    throw new StartError((error as Error).message, { cause: error })
  }
}

/** Says it instead of being killed half way through the start. */
function refuseLittleMemory(config: Config): void {
  const { availableBytes } = config.memory
  if (!isEmbedded(config) || availableBytes >= MINIMUM_MEMORY_BYTES) return
  const inMegabytes = (bytes: number) => `${Math.floor(bytes / 1024 / 1024)} MB`
  throw new StartError(
    `Touchstone needs at least ${inMegabytes(MINIMUM_MEMORY_BYTES)} of memory for its embedded stores, and has ${inMegabytes(availableBytes)}. ` +
      'Raise the memory limit of the container or unit, or use PostgreSQL and ClickHouse (TOUCHSTONE_POSTGRES_URL, TOUCHSTONE_CLICKHOUSE_URL).',
  )
}

/** How people get in. */
export interface Door {
  /** Somebody has a key or an account, so everybody needs one. */
  readonly isClosed: boolean
  /** Undefined where the server is closed, or at home on loopback. */
  readonly setupCode: string | undefined
}

/** On a network the first to come could claim an empty server; so it takes a code that only its operator can read. */
async function findDoor({ host, setupCode }: Config, engines: Engines): Promise<Door> {
  const isClosed = (await existsKey(engines.relational.db)) || (await existsPerson(engines.relational.db))
  if (isClosed) return { isClosed, setupCode: undefined }
  return { isClosed, setupCode: setupCode ?? (isLoopback(host) ? undefined : newSetupCode()) }
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
