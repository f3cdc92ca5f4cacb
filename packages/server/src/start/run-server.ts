import { existsSync } from 'node:fs'
import type { AddressInfo, Server } from 'node:net'
import { fileURLToPath } from 'node:url'
import { timeOfEpochMs, uuid7 } from '@touchstone/contract'
import type { FastifyInstance } from 'fastify'
import { type Logger, pino } from 'pino'
import { buildApp } from '../app.ts'
import { type Config, MINIMUM_MEMORY_BYTES } from '../config.ts'
import { createCaches } from '../deps.ts'
import { existsValidKey } from '../features/accounts/auth/index.ts'
import { existsPerson, readSetupCode, wasSetUp } from '../features/accounts/index.ts'
import { createMetrics } from '../http/metrics.ts'
import { isLocalServer, isLoopback } from '../http/request-origin.ts'
import { listenForGrpc } from '../ingest/index.ts'
import { damagedStoreError, type Engines, findDamage, isEmbedded, openEngines } from '../storage/open-engines.ts'
import { findSignalPipe, watchLoop } from '../watchdog/watchdog.ts'
import { redirectLinks } from './redirect-links.ts'

/** The server cannot start for a reason that the operator can change; the message explains how. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** Opens the engines, builds the app, listens and prints the address; stops everything in reverse order on a signal. */
export async function runServer(given: Config): Promise<void> {
  const log = createLogger(given.logLevel)
  refuseLittleMemory(given)
  const signalPipe = findSignalPipe() // before the engines open pipes of their own
  const engines = await open(given, log)
  let app: FastifyInstance | undefined
  let stopRedirects: (() => Promise<void>) | undefined
  let stopGrpc: (() => Promise<void>) | undefined
  const close = async () => {
    await stopRedirects?.()
    await stopGrpc?.()
    if (app?.server.listening) await readArrivedRequests(app.server)
    // Jobs stop with the app and still need the engines.
    await app?.close()
    await engines.close()
  }
  try {
    const entry = await findEntry(given, engines)
    const printedSetupCode = given.setupCode === undefined ? entry.setupCode : undefined
    const config = { ...given, printedSetupCode, webDir: given.webDir ?? findWebUi() }
    const caches = createCaches(engines.analytics)
    app = await buildApp({ config, log, clock: Date.now, ids: uuid7, metrics: createMetrics(), caches, ...engines })
    stopOnSignals(log, close)
    watchLoop({ ...config.watchdog, host: config.host, signalPipe, log })
    if (!config.roles.includes('api')) return
    app.openConnections.watch()
    stopGrpc = await listenForExporters(app, config)
    await listen(app, config)
    const { port } = app.server.address() as AddressInfo
    const url = config.publicUrl ?? `http://${printedHost(config.host)}:${port}`
    if (needsRedirects(config)) stopRedirects = await redirectLinks(config.redirectPort, url)
    printBanner(url, config, { ...entry, hasLinksWithoutPort: needsRedirects(config) && !stopRedirects })
  } catch (error) {
    await close().catch((closing) => log.error({ err: closing }, 'closing the engines failed'))
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

/** Refuses to start with a message; otherwise the system would kill the process during the start. */
function refuseLittleMemory(config: Config): void {
  const { availableBytes } = config.memory
  if (!isEmbedded(config) || availableBytes >= MINIMUM_MEMORY_BYTES) return
  const inMegabytes = (bytes: number) => `${Math.floor(bytes / 1024 / 1024)} MB`
  throw new StartError(
    `Touchstone needs at least ${inMegabytes(MINIMUM_MEMORY_BYTES)} of memory for its embedded stores, and has ${inMegabytes(availableBytes)}. ` +
      'Raise the memory limit of the container or unit, or use PostgreSQL and ClickHouse (TOUCHSTONE_POSTGRES_URL, TOUCHSTONE_CLICKHOUSE_URL).',
  )
}

/** How people get access. */
export interface Entry {
  /** Programs on this machine need neither a key nor an account. */
  readonly isOpen: boolean
  /** The code for setting the server up; undefined when an account or a valid key exists. */
  readonly setupCode: string | undefined
}

/**
 * Returns how people get access. Other people may reach a server on which no account or key exists, so setting it up
 * requires a code that is printed for the operator.
 */
async function findEntry(config: Config, { relational }: Engines): Promise<Entry> {
  const { db } = relational
  const isOpen = isLocalServer(config) && !(await wasSetUp(db))
  const existsWayIn = (await existsPerson(db)) || (await existsValidKey(db, timeOfEpochMs(Date.now())))
  return { isOpen, setupCode: existsWayIn ? undefined : (config.setupCode ?? (await readSetupCode(relational))) }
}

/** The gRPC port, if the operator set one. */
async function listenForExporters(
  app: FastifyInstance,
  { host, otlpGrpcPort: port, ingest }: Config,
): Promise<(() => Promise<void>) | undefined> {
  if (port === undefined) return undefined
  try {
    return await listenForGrpc(app, { host, port, maxBytes: ingest.maxBodyBytes })
  } catch (error) {
    throw new StartError(
      `The gRPC port ${port} cannot be opened: ${(error as Error).message}. Choose another with TOUCHSTONE_OTLP_GRPC_PORT.`,
      { cause: error },
    )
  }
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

/** The UI that was built beside this server, or that its package contains. */
function findWebUi(): string | undefined {
  const places = ['./web', '../web', '../../web/dist', '../../../web/dist'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  return places.find((path) => existsSync(`${path}/index.html`))
}

/** Logs to standard error, one JSON object per line; standard output is for the banner. */
export function createLogger(level: string): Logger {
  return pino(
    {
      level,
      redact: ['*.headers.authorization', '*.headers["x-api-key"]', '*.headers.cookie', '*.password', '*.key', 'key'],
    },
    pino.destination({ dest: 2, sync: true }),
  )
}

const PATIENCE_MS = 30_000

/** A terminal and a service manager signal the whole group of processes, and the parent process may pass the signal on. */
const SAME_SIGNAL_MS = 1_000

/**
 * Stops gracefully on SIGTERM, SIGINT and SIGHUP: running requests are finished and stored first. A second signal, or half
 * a minute, ends the process at once; acknowledged data is durable in every case. It is ended with SIGKILL, because
 * `process.exit` waits for the engine, which may be stuck in a statement.
 */
function stopOnSignals(log: Logger, stop: () => Promise<void>): void {
  let begunAtMs: number | undefined
  const begin = (exitCode: number) => {
    if (begunAtMs !== undefined) {
      if (performance.now() - begunAtMs > SAME_SIGNAL_MS) process.kill(process.pid, 'SIGKILL')
      return
    }
    begunAtMs = performance.now()
    setTimeout(() => {
      log.fatal(
        `The server did not stop within ${PATIENCE_MS / 1000} s; the process is ended. Requests that were acknowledged are stored.`,
      )
      process.kill(process.pid, 'SIGKILL')
    }, PATIENCE_MS).unref()
    stop().then(
      () => process.exit(exitCode),
      (error) => {
        log.fatal({ err: error }, 'stopping failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', () => begin(0))
  process.on('SIGINT', () => begin(0))
  process.on('SIGHUP', () => begin(0))
  // An unhandled rejection does not affect other requests: log it and continue.
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'))
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception; stopping')
    begin(1)
  })
}

/**
 * Waits until the requests that came before the signal are being handled: closing resets a connection whose request was not
 * read. One turn of the event loop accepts one connection, so a busy server may be far behind.
 */
async function readArrivedRequests(server: Server): Promise<void> {
  const firstMs = performance.now()
  let quietTurns = 0
  let quietSinceMs = firstMs
  const noteArrival = () => {
    quietTurns = 0
    quietSinceMs = performance.now()
  }
  const isQuiet = () => quietTurns >= QUIET_TURNS && performance.now() - quietSinceMs >= QUIET_MS
  server.on('connection', noteArrival).on('request', noteArrival)
  while (!isQuiet() && performance.now() - firstMs < MAX_ARRIVAL_MS) {
    quietTurns += 1
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  server.off('connection', noteArrival).off('request', noteArrival)
}

/** So many turns of the event loop and milliseconds without a connection or request mean that none waits. */
const QUIET_TURNS = 5
const QUIET_MS = 25
/** Clients that never pause do not keep a server from stopping. */
const MAX_ARRIVAL_MS = 2_000

/** Whether Python prints links of this server without its port. A free port is that of a test or a short-lived server. */
function needsRedirects({ host, port, publicUrl, redirectPort }: Config): boolean {
  return isLoopback(host) && publicUrl === undefined && redirectPort !== 0 && port !== 0 && port !== redirectPort
}

interface BannerFacts extends Entry {
  /** Whether links that Python prints lead nowhere. */
  readonly hasLinksWithoutPort: boolean
}

/** Prints the address of the server, its data directory, how to get access, and the settings for a first trace. */
function printBanner(url: string, { dataDir }: Config, { isOpen, setupCode, hasLinksWithoutPort }: BannerFacts): void {
  const lines = [
    '',
    `  Touchstone is ready at ${url}`,
    `  Data: ${dataDir}`,
    '',
    ...(setupCode === undefined ? [] : isOpen ? openLines(url, setupCode) : setUpLines(url, setupCode)),
    '  Trace a program that uses langsmith:',
    '',
    '  export LANGSMITH_TRACING=true',
    `  export LANGSMITH_ENDPOINT=${url}/api/v1`,
    ...(!isOpen ? ['  export LANGSMITH_API_KEY=…   # a key of this server'] : []),
    ...(hasLinksWithoutPort
      ? ['', `  Python prints links as http://localhost/…: open them with ${url}/… instead.`]
      : []),
    '',
  ]
  console.log(lines.join('\n'))
}

/** The code is in the fragment of the URL, so that no server on the way logs it. */
const setUpLink = (url: string, code: string) => `  ${url}/setup#${code}`

function openLines(url: string, code: string): string[] {
  return [
    '  Open to programs on this machine. To give others access, also through a proxy, set it up:',
    setUpLink(url, code),
    '',
  ]
}

function setUpLines(url: string, code: string): string[] {
  return [
    '  No account and no valid key exist. Set the server up:',
    '',
    setUpLink(url, code),
    '',
    '  Without a browser, stop it and run: npm start -- --create-key NAME',
    '',
  ]
}

function printedHost(host: string): string {
  if (isLoopback(host) || host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
