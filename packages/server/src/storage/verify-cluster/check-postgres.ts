import pg from 'pg'
import { assertReachable } from '../relational/postgres.ts'
import { type CheckResult, compareClocks, failure, runChecks, warning } from './results.ts'

const OLDEST_VERSION = 14

/** Locks by trace of several processes take one slot each; see docs/guides/self-hosting.md. */
const ENOUGH_LOCKS = 256
/** Each process has a pool of ten connections and some for jobs. */
const ENOUGH_CONNECTIONS = 50
/** Each check asks for a few values. */
const STATEMENT_MS = 30_000

/** Checks what the server needs of PostgreSQL. Leaves nothing behind. */
export async function checkPostgres(url: string): Promise<CheckResult[]> {
  const reached = await runChecks('PostgreSQL', [
    {
      check: 'connection',
      remedy: 'Correct TOUCHSTONE_POSTGRES_URL.',
      run: async () => {
        await assertReachable(url)
        return 'reached'
      },
    },
  ])
  if (reached[0]?.status === 'failed') return reached
  const client = new pg.Client({ connectionString: url, query_timeout: STATEMENT_MS })
  await client.connect()
  try {
    return [...reached, ...(await runChecks('PostgreSQL', listChecks(client)))]
  } finally {
    await client.end()
  }
}

function listChecks(client: pg.Client) {
  const read = async (expression: string) => String((await client.query(`select ${expression} as value`)).rows[0].value)
  const show = (name: string) => read(`current_setting('${name}')`)
  return [
    {
      check: 'version',
      remedy: `Use PostgreSQL ${OLDEST_VERSION} or newer.`,
      run: async () => {
        const version = await show('server_version')
        if (Number(await show('server_version_num')) >= OLDEST_VERSION * 10_000) return version
        return failure(version, `Use PostgreSQL ${OLDEST_VERSION} or newer.`)
      },
    },
    {
      check: 'primary',
      remedy: 'Name the primary in TOUCHSTONE_POSTGRES_URL.',
      run: async () =>
        (await read('pg_is_in_recovery()')) === 'false'
          ? 'accepts writes'
          : failure('a standby that only reads', 'Name the primary in TOUCHSTONE_POSTGRES_URL.'),
    },
    {
      check: 'encoding',
      remedy: 'Create the database with encoding UTF8.',
      run: async () => {
        const encoding = await show('server_encoding')
        return encoding === 'UTF8' ? encoding : failure(encoding, 'Create the database with encoding UTF8.')
      },
    },
    {
      check: 'permissions',
      remedy:
        'Let the user create tables in this database: GRANT ALL ON SCHEMA public TO the user, and CREATE on the database.',
      run: async () => {
        await client.query('begin')
        try {
          await client.query('create schema touchstone_verify')
          await client.query('create table touchstone_verify.probe (n int primary key)')
          if ((await read("has_schema_privilege(current_user, 'public', 'create')")) !== 'true') {
            throw new Error('the user cannot create tables in the schema public')
          }
        } finally {
          await client.query('rollback')
        }
        return 'creates schemas and tables'
      },
    },
    {
      check: 'locks',
      remedy: 'Connect to PostgreSQL itself, or to a pooler that keeps a transaction on one connection.',
      run: async () => {
        await client.query('begin')
        await client.query("select pg_advisory_xact_lock(hashtext('touchstone verify'))")
        await client.query('rollback')
        const locks = Number(await show('max_locks_per_transaction'))
        const found = `advisory locks work, max_locks_per_transaction is ${locks}`
        return locks >= ENOUGH_LOCKS
          ? found
          : warning(found, `Set max_locks_per_transaction = ${ENOUGH_LOCKS} for several processes.`)
      },
    },
    {
      check: 'durability',
      remedy: 'Set fsync = on and synchronous_commit = on.',
      run: async () => {
        const [fsync, commit] = [await show('fsync'), await show('synchronous_commit')]
        const found = `fsync is ${fsync}, synchronous_commit is ${commit}`
        const isDurable = fsync === 'on' && commit !== 'off'
        return isDurable
          ? found
          : failure(found, 'Set fsync = on and synchronous_commit = on: acknowledged edits may be lost otherwise.')
      },
    },
    {
      check: 'connections',
      remedy: `Set max_connections = ${ENOUGH_CONNECTIONS} or more.`,
      run: async () => {
        const most = Number(await show('max_connections'))
        const found = `max_connections is ${most}`
        return most >= ENOUGH_CONNECTIONS
          ? found
          : warning(found, 'Each process of the server uses up to 20: raise max_connections.')
      },
    },
    {
      check: 'clock',
      remedy: 'Synchronize the clocks.',
      run: () => compareClocks(async () => Number(await read('extract(epoch from clock_timestamp()) * 1000'))),
    },
  ]
}
