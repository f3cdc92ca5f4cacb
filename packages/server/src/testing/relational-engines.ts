import type { Relational } from '../storage/relational/port.ts'
import { openPostgres } from '../storage/relational/postgres.ts'
import { openEmptyPglite } from './pglite-template.ts'
import { createDatabase } from './test-stores.ts'

const url = process.env.TOUCHSTONE_TEST_POSTGRES_URL

/** Each relational engine by name, with a function that opens a new, empty one; with Postgres when its URL is set. */
export const relationalEngines: readonly [name: string, open: () => Promise<Relational>][] = [
  ['pglite', openEmptyPglite],
  ...(url === undefined ? [] : [['postgres', () => openNewDatabase(url)] as [string, () => Promise<Relational>]]),
]

async function openNewDatabase(server: string): Promise<Relational> {
  return openPostgres(await createDatabase(server), (error) => {
    throw error
  })
}
