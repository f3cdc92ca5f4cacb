import { randomBytes } from 'node:crypto'
import { text as readStream } from 'node:stream/consumers'
import { type ClickHouseClient, createClient } from '@clickhouse/client'
import type { ClickHouseSettings } from '../../config.ts'
import { assertClickHouseReachable, createAnalytics, toClientOptions } from '../analytics/clickhouse.ts'
import { type Cluster, onCluster } from '../analytics/cluster.ts'
import { migrateAnalytics, NEWEST_VERSION, TABLES } from '../analytics/migrate.ts'
import type { Analytics } from '../analytics/port.ts'
import { literal, sql, text } from '../analytics/sql.ts'
import { COUNT_ROW, columns, number, text as string } from '../rows.ts'
import {
  type Check,
  type CheckResult,
  compareClocks,
  type Finding,
  failure,
  firstLine,
  runChecks,
  warning,
} from './results.ts'

const OLDEST_VERSION = [26, 2] as const

/** Statements of the server beside SELECT. */
const GRANTS = 'SELECT, INSERT, ALTER, CREATE TABLE, CREATE VIEW, DROP TABLE, DROP VIEW'

interface Server {
  readonly analytics: Analytics
  readonly url: string
  readonly settings: ClickHouseSettings
}

/** Checks what the server needs of ClickHouse, in a database of its own, which is removed again. */
export async function checkClickHouse(url: string, settings: ClickHouseSettings): Promise<CheckResult[]> {
  const client = createClient(toClientOptions(url, settings))
  const server = { analytics: createAnalytics(client), url, settings }
  try {
    const reached = await runChecks('ClickHouse', [
      {
        check: 'connection',
        remedy: 'Correct TOUCHSTONE_CLICKHOUSE_URL.',
        run: async () => {
          await assertClickHouseReachable(client, url)
          return 'reached'
        },
      },
    ])
    if (reached[0]?.status === 'failed') return reached
    const general = await runChecks('ClickHouse', listChecks(client, server))
    const ofCluster = settings.cluster ? await runChecks('ClickHouse', listClusterChecks(server, settings.cluster)) : []
    const isClusterUsable = ofCluster.every(({ status }) => status !== 'failed')
    const ofTables = isClusterUsable
      ? await checkInDatabase(client, server)
      : [notChecked('the cluster cannot be used', 'Correct it first.')]
    return [...reached, ...general, ...ofCluster, ...ofTables]
  } finally {
    await client.close()
  }
}

const readText = async (analytics: Analytics, statement: string) =>
  (await analytics.query(literal(statement), columns({ value: string })))[0]?.value ?? ''

function listChecks(client: ClickHouseClient, { analytics, url }: Server): Check[] {
  const database = decodeURIComponent(new URL(url).pathname.slice(1)) || 'default'
  return [
    {
      check: 'version',
      remedy: `Use ClickHouse ${OLDEST_VERSION.join('.')} or newer.`,
      run: async () => {
        const version = await readText(analytics, 'select version() as value')
        const [major = 0, minor = 0] = version.split('.').map(Number)
        const isOld = major < OLDEST_VERSION[0] || (major === OLDEST_VERSION[0] && minor < OLDEST_VERSION[1])
        return isOld ? failure(version, `Use ClickHouse ${OLDEST_VERSION.join('.')} or newer.`) : version
      },
    },
    {
      check: 'permissions',
      remedy: `GRANT ${GRANTS} ON ${database}.* TO the user.`,
      run: async () => {
        // The client would add a format to a query, which this statement does not take.
        const query = `check grant ${GRANTS} on \`${database.replaceAll('`', '')}\`.*`
        const answer = await readStream((await client.exec({ query })).stream)
        const remedy = `GRANT ${GRANTS} ON ${database}.* TO the user.`
        return answer.trim() === '1' ? 'creates, changes and reads tables' : failure('a permission is missing', remedy)
      },
    },
    {
      check: 'one server',
      remedy: 'Name one server of the cluster in TOUCHSTONE_CLICKHOUSE_URL, not a load balancer.',
      run: async () => {
        const names = new Set<string>()
        for (let at = 0; at < 8; at++) names.add(await readText(analytics, 'select hostName() as value'))
        const found = `answers come from ${[...names].join(', ')}`
        if (names.size === 1) return found
        return warning(
          found,
          'Name one server in TOUCHSTONE_CLICKHOUSE_URL: a read from another replica may miss what was just written.',
        )
      },
    },
    {
      check: 'clock',
      remedy: 'Synchronize the clocks.',
      run: () =>
        compareClocks(async () =>
          Number(await readText(analytics, 'select toString(toUnixTimestamp64Milli(now64(3))) as value')),
        ),
    },
  ]
}

/** Counts of servers of a cluster by shard, and what every server needs for replicated tables. */
function listClusterChecks({ analytics }: Server, cluster: Cluster): Check[] {
  return [
    { check: 'replicas', remedy: 'Grant SELECT on system.clusters.', run: () => checkReplicas(analytics, cluster) },
    {
      check: 'macros',
      remedy: 'Grant SELECT on system.macros.',
      run: async () => {
        const macros = await analytics.query(literal('select macro from system.macros'), columns({ macro: string }))
        const missing = ['shard', 'replica'].filter((name) => !macros.some(({ macro }) => macro === name))
        const found = missing.length === 0 ? 'shard and replica are set' : `${missing.join(' and ')} not set`
        return missing.length === 0 ? found : failure(found, 'Set <macros> with <shard> and <replica> on every server.')
      },
    },
    {
      check: 'keeper',
      remedy: 'Configure ClickHouse Keeper (<zookeeper>) on every server; replicated tables need it.',
      run: async () => {
        await analytics.query(literal("select count() as n from system.zookeeper where path = '/'"), COUNT_ROW)
        return 'reached by this server'
      },
    },
  ]
}

async function checkReplicas(analytics: Analytics, cluster: Cluster): Promise<Finding> {
  const rows = await analytics.query(
    sql`
      select shard_num, count() as replicas, sum(errors_count) as errors
      from system.clusters
      where cluster = ${text(cluster.name)}
      group by shard_num
      order by shard_num`,
    columns({ shard_num: number, replicas: string, errors: string }),
  )
  if (rows.length === 0) {
    const known = await readText(
      analytics,
      "select arrayStringConcat(groupUniqArray(cluster), ', ') as value from system.clusters",
    )
    return failure(
      `no cluster "${cluster.name}"`,
      `Correct TOUCHSTONE_CLICKHOUSE_CLUSTER; this server knows: ${known || 'none'}.`,
    )
  }
  const found = `${rows.length} shards with ${rows.map(({ replicas }) => replicas).join(', ')} replicas`
  if (rows.some(({ errors }) => errors !== '0')) {
    return warning(`${found}; some did not answer this server`, 'Look at system.clusters for errors_count.')
  }
  if (rows.some(({ replicas }) => Number(replicas) < 2)) {
    return warning(found, 'With one replica of a shard, the loss of its disk loses its rows. Add a second one.')
  }
  if (rows.length > 1 && !cluster.isSharded) {
    return warning(
      found,
      'Only the shard in TOUCHSTONE_CLICKHOUSE_URL is used. Set TOUCHSTONE_CLICKHOUSE_SHARDED=true on a new installation.',
    )
  }
  return found
}

const notChecked = (reason: string, remedy: string): CheckResult => ({
  store: 'ClickHouse',
  check: 'tables',
  status: 'warning',
  found: `not checked: ${reason}`,
  remedy,
})

/** Checks with tables, in a new database. */
async function checkInDatabase(client: ClickHouseClient, server: Server): Promise<CheckResult[]> {
  const { cluster } = server.settings
  const everywhere = cluster === undefined ? '' : ` on cluster '${cluster.name}'`
  const database = `touchstone_verify_${randomBytes(4).toString('hex')}`
  const created = await client.command({ query: `create database ${database}${everywhere}` }).catch(firstLine)
  if (typeof created === 'string') {
    const remedy =
      'Let the user create databases while you verify (GRANT CREATE DATABASE, DROP DATABASE ON *.*). The server itself does not need it.'
    return [notChecked(created, remedy)]
  }
  const scratch = createClient(
    toClientOptions(Object.assign(new URL(server.url), { pathname: `/${database}` }).toString(), server.settings),
  )
  try {
    return await runChecks('ClickHouse', listTableChecks(createAnalytics(scratch), cluster, everywhere))
  } finally {
    await scratch.close()
    await client.command({ query: `drop database ${database}${everywhere} sync` })
  }
}

function listTableChecks(analytics: Analytics, cluster: Cluster | undefined, everywhere: string): Check[] {
  const count = async (table: string) =>
    (await analytics.query(literal(`select count() as n from ${table}`), COUNT_ROW))[0]?.n ?? 0
  return [
    {
      check: 'dialect',
      remedy: 'Use an unmodified ClickHouse of the version above; other engines with its protocol lack parts of it.',
      run: async () => {
        await migrateAnalytics(cluster === undefined ? analytics : onCluster(analytics, cluster, TABLES))
        return `creates all ${TABLES.size} tables (version ${NEWEST_VERSION})`
      },
    },
    {
      check: 'quorum and repeated inserts',
      remedy: 'Every shard needs most of its replicas: look at system.replicas for is_readonly and errors.',
      run: async () => {
        const engine = cluster === undefined ? 'MergeTree' : 'ReplicatedMergeTree'
        const window = cluster === undefined ? ' settings non_replicated_deduplication_window = 100' : ''
        for (const table of ['probe', 'probe_view_rows']) {
          await analytics.command(
            literal(`create table ${table}${everywhere} (n UInt64) engine = ${engine} order by n${window}`),
          )
        }
        await analytics.command(
          literal(`create materialized view probe_view${everywhere} to probe_view_rows as select n from probe`),
        )
        for (let time = 0; time < 2; time++) {
          await analytics.command(
            literal("insert into probe settings insert_deduplication_token = 'once', async_insert = 0 values (1)"),
          )
        }
        const [rows, followed] = [await count('probe'), await count('probe_view_rows')]
        const found = `a repeated insert left ${rows} row, and ${followed} in the table that follows`
        if (rows === 1 && followed === 1) return found
        return failure(
          found,
          'Do not turn off replicated_deduplication_window or deduplicate_blocks_in_dependent_materialized_views.',
        )
      },
    },
    {
      check: 'deletions',
      remedy: `GRANT ${GRANTS} on the database to the user.`,
      run: async () => {
        await analytics.command(literal(`delete from probe${everywhere} where n = 1`))
        const left = await count('probe')
        return left === 0
          ? 'rows are deleted'
          : failure(`${left} rows are left`, 'Look at system.mutations for latest_fail_reason.')
      },
    },
  ]
}
