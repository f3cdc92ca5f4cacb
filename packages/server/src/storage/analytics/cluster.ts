import type { ClickHouseSettings } from '@clickhouse/client'
import type { Analytics } from './port.ts'
import type { Sql } from './sql.ts'

/** A cluster of ClickHouse servers, as their configuration names it. */
export interface Cluster {
  readonly name: string
  /** Whether workspaces are spread over the shards of the cluster; otherwise every server has all rows. */
  readonly isSharded: boolean
}

/** Settings of statements on a cluster. */
export const clusterSettings = ({ isSharded }: Cluster): ClickHouseSettings => ({
  // A 2xx survives the loss of a server: most replicas have the rows, and several processes insert at the same time.
  insert_quorum: 'auto',
  insert_quorum_parallel: 1,
  ...(isSharded && {
    distributed_foreground_insert: 1,
    // All rows of a workspace are on one shard, and every statement names the workspace.
    distributed_product_mode: 'local',
    optimize_skip_unused_shards: 1,
  }),
})

/** Where a row belongs: statements join tables and delete by subqueries within a workspace only. */
const SHARD_BY = 'cityHash64(tenant_id)'

/** The table that every server has a copy of: the versions of the schema. */
const ON_EVERY_SERVER = 'migrations'

/**
 * Translates a statement for one server into statements for a cluster: tables are `Replicated…`, definitions run `on
 * cluster`. When sharded, rows are in `{table}_shard`, and `{table}` is a `Distributed` table over all shards; what changes
 * or deletes rows runs on the tables with the rows.
 *
 * @param tables  names of all tables that migrations create
 */
export function toClusterStatements(text: string, cluster: Cluster, tables: ReadonlySet<string>): string[] {
  const statement = text.trim()
  const onCluster = `on cluster '${cluster.name}'`
  const isShardTable = (name: string) => cluster.isSharded && tables.has(name) && name !== ON_EVERY_SERVER
  const withShards = (part: string) =>
    part.replaceAll(/\b\w+\b/g, (name) => (isShardTable(name) ? `${name}_shard` : name))
  const distribute = (table: string) =>
    `create or replace table ${table} ${onCluster} as ${table}_shard ` +
    `engine = Distributed('${cluster.name}', currentDatabase(), '${table}_shard', ${SHARD_BY})`

  const created = /^create table if not exists (\w+)\s*(\([\s\S]*\)\s*)engine = (\w*MergeTree)(.*)$/s.exec(statement)
  if (created !== null) {
    const [, table = '', columns = '', engine = '', rest = ''] = created
    const shardTable = isShardTable(table) ? `${table}_shard` : table
    const printed = `create table if not exists ${shardTable} ${onCluster} ${columns}engine = ${replicate(table, engine)}${rest}`
    return isShardTable(table) ? [printed, distribute(table)] : [printed]
  }
  const view = /^create materialized view if not exists (\w+) ([\s\S]*)$/.exec(statement)
  if (view !== null) return [`create materialized view if not exists ${view[1]} ${onCluster} ${withTables(view[2])}`]
  const altered = /^alter table (\w+) ([\s\S]*)$/.exec(statement)
  if (altered !== null) {
    const [, table = '', change = ''] = altered
    const everywhere = change.replace(/\bmutations_sync = 1\b/, 'mutations_sync = 2')
    const name = isShardTable(table) ? `${table}_shard` : table
    const printed = `alter table ${name} ${onCluster} ${/^modify query/.test(change) ? withTables(everywhere) : everywhere}`
    return isShardTable(table) && /^(add|drop|modify) column\b/.test(change) ? [printed, distribute(table)] : [printed]
  }
  const dropped = /^drop table if exists (\w+) sync$/.exec(statement)
  if (dropped !== null) return [`drop table if exists ${dropped[1]} ${onCluster} sync`]
  const deleted = cluster.isSharded && /^delete from (\w+)\s+([\s\S]*)$/.exec(statement)
  if (deleted && isShardTable(deleted[1] ?? '')) {
    return [`delete from ${deleted[1]}_shard ${onCluster} ${withTables(deleted[2])}`]
  }
  return [text]

  /** Names of tables follow these words; a column may have the name of a table. */
  function withTables(part = ''): string {
    return part.replaceAll(/\b(from|join|to) \w+\b/gi, withShards)
  }
}

function replicate(table: string, engine: string): string {
  if (table !== ON_EVERY_SERVER) return `Replicated${engine}`
  return `Replicated${engine}('/clickhouse/tables/{database}/${table}', '{shard}-{replica}')`
}

/** The same store; its commands are translated for a cluster. */
export function onCluster(analytics: Analytics, cluster: Cluster, tables: ReadonlySet<string>): Analytics {
  return {
    ...analytics,
    async command(statement: Sql) {
      for (const text of toClusterStatements(statement.text, cluster, tables)) {
        await analytics.command({ text, params: statement.params })
      }
    },
  }
}
