import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openChdb } from './chdb.ts'
import { type Cluster, onCluster, toClusterStatements } from './cluster.ts'
import { migrateAnalytics, migrations, TABLES } from './migrate.ts'
import type { Analytics } from './port.ts'
import { literal, sql, uuid } from './sql.ts'

const REPLICATED: Cluster = { name: 'main', isSharded: false }
const SHARDED: Cluster = { name: 'main', isSharded: true }
const words = (texts: readonly string[]) => texts.map((text) => text.replaceAll(/\s+/g, ' '))
const translate = (text: string, cluster: Cluster) => words(toClusterStatements(text, cluster, TABLES))

let analytics: Analytics
beforeAll(async () => {
  analytics = await openChdb(mkdtempSync(join(tmpdir(), 'touchstone-cluster-')))
})
afterAll(() => analytics?.close())

describe('a statement on a cluster with replicas', () => {
  it.each([
    [
      'create table if not exists run_keys (id UUID) engine = ReplacingMergeTree(version, is_deleted) order by id',
      "create table if not exists run_keys on cluster 'main' (id UUID) engine = ReplicatedReplacingMergeTree(version, is_deleted) order by id",
    ],
    [
      'create table if not exists migrations (version UInt32) engine = MergeTree order by version',
      "create table if not exists migrations on cluster 'main' (version UInt32) engine = ReplicatedMergeTree('/clickhouse/tables/{database}/migrations', '{shard}-{replica}') order by version",
    ],
    [
      'create materialized view if not exists run_keys_follow to run_keys as select id from runs',
      "create materialized view if not exists run_keys_follow on cluster 'main' to run_keys as select id from runs",
    ],
    ['drop table if exists runs sync', "drop table if exists runs on cluster 'main' sync"],
    ['alter table runs drop index if exists words', "alter table runs on cluster 'main' drop index if exists words"],
    [
      'alter table runs delete where is_deleted = 0 settings mutations_sync = 1',
      "alter table runs on cluster 'main' delete where is_deleted = 0 settings mutations_sync = 2",
    ],
    // Mutations of replicated tables reach every replica by themselves.
    ['delete from run_attachments where version < 1', 'delete from run_attachments where version < 1'],
    ['insert into trace_runs (id) select id from runs', 'insert into trace_runs (id) select id from runs'],
  ])('%s', (text, expected) => {
    expect(translate(text, REPLICATED)).toEqual([expected])
  })
})

describe('a statement on a cluster with shards', () => {
  it.each([
    [
      'create table if not exists run_keys (id UUID) engine = ReplacingMergeTree(version, is_deleted) order by id',
      [
        "create table if not exists run_keys_shard on cluster 'main' (id UUID) engine = ReplicatedReplacingMergeTree(version, is_deleted) order by id",
        "create or replace table run_keys on cluster 'main' as run_keys_shard engine = Distributed('main', currentDatabase(), 'run_keys_shard', cityHash64(tenant_id))",
      ],
    ],
    [
      'create materialized view if not exists run_keys_follow to run_keys as select id from runs',
      [
        "create materialized view if not exists run_keys_follow on cluster 'main' to run_keys_shard as select id from runs_shard",
      ],
    ],
    [
      'alter table runs add column if not exists error_line String',
      [
        "alter table runs_shard on cluster 'main' add column if not exists error_line String",
        "create or replace table runs on cluster 'main' as runs_shard engine = Distributed('main', currentDatabase(), 'runs_shard', cityHash64(tenant_id))",
      ],
    ],
    ['alter table runs materialize index words', ["alter table runs_shard on cluster 'main' materialize index words"]],
    [
      'alter table trace_runs_follow modify query select id, trace_id from runs',
      ["alter table trace_runs_follow on cluster 'main' modify query select id, trace_id from runs_shard"],
    ],
    [
      'delete from feedback_keys where tenant_id = {p0:UUID} and id in (select id from run_feedback where run_id = {p1:UUID})',
      [
        "delete from feedback_keys_shard on cluster 'main' where tenant_id = {p0:UUID} and id in (select id from run_feedback_shard where run_id = {p1:UUID})",
      ],
    ],
    ['insert into trace_runs (id) select id from runs', ['insert into trace_runs (id) select id from runs']],
  ])('%s', (text, expected) => {
    expect(translate(text, SHARDED)).toEqual(expected)
  })
})

describe.each([REPLICATED, SHARDED])('all statements on the cluster %j', (cluster) => {
  it('are valid, and leave no table without replicas', async () => {
    const statements = migrations
      .flatMap((one) => one.statements)
      .flatMap((text) => toClusterStatements(text, cluster, TABLES))
    for (const text of statements) {
      await analytics.command(literal(`explain ast ${text}`))
      if (/^(create|alter)/.test(text)) expect(text).toContain("on cluster 'main'")
      expect(text).not.toMatch(/engine = (Replacing)?MergeTree/)
    }
    expect(statements.length).toBeGreaterThan(30)
  })

  it('are sent with their values, each for its cluster', async () => {
    const sent: string[] = []
    const recording: Analytics = {
      ...analytics,
      query: async () => [],
      command: async ({ text }) => void sent.push(text),
    }
    await migrateAnalytics(onCluster(recording, cluster, TABLES))
    expect(sent[0]).toMatch(/create table if not exists migrations on cluster/)
    expect(sent.filter((text) => / as \w+_shard /.test(text)).length > 0).toBe(cluster.isSharded)
    const id = '0197f2a4-3c10-7d21-9b55-2f4b8e7a1c01'
    const params: object[] = []
    const noting: Analytics = { ...analytics, command: async (statement) => void params.push(statement.params) }
    await onCluster(noting, cluster, TABLES).command(sql`delete from runs where tenant_id = ${uuid(id)}`)
    expect(params).toEqual([{ p0: id }])
  })
})
