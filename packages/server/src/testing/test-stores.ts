import pg from 'pg'

/** Returns the URL of a new database on a PostgreSQL server. @param template  name of the database that it copies */
export async function createDatabase(server: string, template = 'template1'): Promise<string> {
  const name = newName()
  await runStatement(server, `create database ${name} template ${template}`)
  return new URL(`/${name}`, server).toString()
}

export const dropDatabase = (server: string, name: string): Promise<void> =>
  runStatement(server, `drop database ${name} with (force)`)

/** Ends all sessions of a PostgreSQL database. */
export function endSessions(database: string): Promise<void> {
  return runStatement(
    database,
    `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`,
  )
}

/** Returns the address of a new database on a ClickHouse server. */
export async function createClickHouseDatabase(server: string): Promise<string> {
  const name = newName()
  const answer = await fetch(server, { method: 'POST', body: `create database ${name}` })
  if (!answer.ok) throw new Error(await answer.text())
  return new URL(`/${name}`, server).toString()
}

const newName = () => `touchstone_${process.pid}_${Math.random().toString(36).slice(2)}`

async function runStatement(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement)
  await client.end()
}
