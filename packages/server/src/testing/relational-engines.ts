import pg from 'pg'
import type { Relational } from '../storage/relational/port.ts'
import { openPostgres } from '../storage/relational/postgres.ts'
import { openEmptyPglite } from './pglite-template.ts'

const url = process.env.TOUCHSTONE_TEST_POSTGRES_URL

/** Each relational engine by name, with a function that opens a new, empty one; with Postgres when its URL is set. */
export const relationalEngines: readonly [name: string, open: () => Promise<Relational>][] = [
  ['pglite', openEmptyPglite],
  ...(url === undefined ? [] : [['postgres', () => openNewDatabase(url)] as [string, () => Promise<Relational>]]),
]

/** Returns the URL of a new database on the test server. */
export async function createDatabase(server: string): Promise<string> {
  const name = `touchstone_${process.pid}_${Math.random().toString(36).slice(2)}`
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  return Object.assign(new URL(server), { pathname: `/${name}` }).toString()
}

async function openNewDatabase(server: string): Promise<Relational> {
  return openPostgres(await createDatabase(server), (error) => {
    throw error
  })
}
