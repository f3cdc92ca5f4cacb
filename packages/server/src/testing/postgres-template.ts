import { pino } from 'pino'
import { openJobs } from '../jobs/open-jobs.ts'
import { assignIds, makeCopyable } from '../storage/relational/new-database.ts'
import type { Relational } from '../storage/relational/port.ts'
import { openPostgres } from '../storage/relational/postgres.ts'
import { createDatabase, dropDatabase } from './test-stores.ts'

const NAME = 'TOUCHSTONE_TEST_POSTGRES_TEMPLATE'

/** Creates, before all tests, the database of PostgreSQL that each of them copies: migrations take longer than a copy. */
export default async function makeTemplate() {
  const server = process.env.TOUCHSTONE_TEST_POSTGRES_URL
  // Projects share the process of their set-up, and so the database.
  if (server === undefined || process.env[NAME] !== undefined) return undefined
  const url = await createDatabase(server)
  const relational = await openPostgres(url, throwError)
  const jobs = openJobs({ relational, log: pino({ level: 'silent' }), config: { roles: ['api'] } })
  await jobs.start()
  await jobs.close()
  await makeCopyable(relational)
  await relational.close()
  process.env[NAME] = new URL(url).pathname.slice(1)
  return () => dropDatabase(server, new URL(url).pathname.slice(1))
}

/** A new, empty database of a server; its workspace and project have ids of their own, as those of `openEmptyPglite`. */
export async function openEmptyPostgres(server: string): Promise<Relational> {
  const relational = await openPostgres(await createDatabase(server, process.env[NAME]), throwError)
  await assignIds(relational)
  return relational
}

function throwError(error: Error): never {
  throw error
}
