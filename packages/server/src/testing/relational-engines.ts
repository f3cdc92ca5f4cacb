import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Relational } from '../storage/relational/port.ts'
import { openEmptyPglite } from './pglite-template.ts'
import { openEmptyPostgres } from './postgres-template.ts'
import { isFull } from './rounds.ts'

const url = process.env.TOUCHSTONE_TEST_POSTGRES_URL

/** Its name, and a function that opens a new, empty one. */
type Engine = readonly [name: string, open: () => Promise<Relational>]

const postgres: Engine | undefined = url === undefined ? undefined : ['postgres', () => openEmptyPostgres(url)]

const all: readonly Engine[] = [['pglite', openEmptyPglite], ...(postgres ? [postgres] : [])]

/** A second time over HTTP, a suite is about what the server does in front of ClickHouse, and one relational engine is enough. */
const isSecondTime = process.env.TOUCHSTONE_TEST_ANALYTICS === 'clickhouse'

/**
 * Every relational engine, PostgreSQL when its URL is set: for suites about locks, transactions, whole tables and the
 * engines themselves.
 */
export const everyRelationalEngine: readonly Engine[] = isSecondTime && !isFull ? all.slice(-1) : all

/** For suites in which requests compete: PostgreSQL where there is one, because PGlite runs one transaction at a time. */
export const concurrentRelationalEngines: readonly Engine[] = isFull
  ? everyRelationalEngine
  : everyRelationalEngine.slice(-1)

/**
 * The engine of a suite, half of the suites on each: what differs between the engines is in their drivers, and the same
 * suite on both proves little more than on one.
 *
 * @param file  `import.meta.filename` of the suite
 */
export function relationalEngines(file: string): readonly Engine[] {
  return isFull ? everyRelationalEngine : [chooseEngine(file, everyRelationalEngine)]
}

/**
 * The engine of a suite that runs a second time, against ClickHouse over HTTP: the embedded one the first time, PostgreSQL
 * the second time.
 */
export const engineOfEachTime: readonly Engine[] = isFull
  ? everyRelationalEngine
  : process.env.TOUCHSTONE_TEST_CLICKHOUSE_URL === undefined
    ? everyRelationalEngine
    : everyRelationalEngine.slice(0, 1)

/**
 * The engine of an app whose suite names none: PostgreSQL where there is one, because opening a copy of its database costs a
 * tenth of opening PGlite. In `npm run test:full` PGlite, which is the engine that users start with.
 */
export const openUsualRelational = (): Promise<Relational> => {
  const [, open] = isFull ? all[0]! : all.at(-1)!
  return open()
}

/** Chooses by the path of a file, so that it is the same on each machine. */
export function chooseEngine<Engine>(file: string, engines: readonly Engine[]): Engine {
  const path = relative(SOURCES, file).replaceAll('\\', '/')
  const [byte = 0] = createHash('sha256').update(path).digest()
  const chosen = engines[byte % engines.length]
  if (chosen === undefined) throw new Error('There is no engine to choose from.')
  return chosen
}

const SOURCES = fileURLToPath(new URL('../', import.meta.url))
