import { describe, expect, it } from 'vitest'
import { clickhouseUrl } from '../../testing/analytics-engine.ts'
import { findFreePort } from '../../testing/find-free-port.ts'
import { createBucket, listVersions, s3Settings, s3Url } from '../../testing/test-s3.ts'
import { createDatabase } from '../../testing/test-stores.ts'
import { verifyCluster } from './index.ts'

const postgres = process.env.TOUCHSTONE_TEST_POSTGRES_URL
const NONE = {
  postgresUrl: undefined,
  clickhouseUrl: undefined,
  clickhouse: { cluster: undefined, asyncInserts: false },
  s3: undefined,
}

const outcomes = (results: Awaited<ReturnType<typeof verifyCluster>>) =>
  Object.fromEntries(results.map(({ check, status }) => [check, status]))

describe('verifying a cluster', () => {
  it('checks nothing of embedded stores', async () => {
    expect(await verifyCluster(NONE)).toEqual([])
  })

  it('names each store that is not reached, with its setting, and checks no more of it', async () => {
    const port = await findFreePort()
    const results = await verifyCluster({
      ...NONE,
      postgresUrl: `postgres://ada:secret@127.0.0.1:${port}/runs`,
      clickhouseUrl: `http://ada:secret@127.0.0.1:${port}/runs`,
      s3: s3Settings('runs', `http://127.0.0.1:${port}`),
    })
    expect(results.map(({ store, check, status }) => [store, check, status])).toEqual([
      ['PostgreSQL', 'connection', 'failed'],
      ['ClickHouse', 'connection', 'failed'],
      ['S3', 'connection', 'failed'],
    ])
    for (const { found, remedy } of results)
      expect(`${found} ${remedy}`).toMatch(/nothing is listening there.*TOUCHSTONE_/)
    expect(JSON.stringify(results)).not.toContain('secret')
  })

  it.skipIf(postgres === undefined)('checks a PostgreSQL server and leaves nothing in it', async () => {
    const results = await verifyCluster({ ...NONE, postgresUrl: await createDatabase(postgres!) })
    expect(outcomes(results)).toMatchObject({
      connection: 'ok',
      version: 'ok',
      primary: 'ok',
      encoding: 'ok',
      permissions: 'ok',
      durability: 'ok',
      clock: 'ok',
    })
    expect(results.find(({ check }) => check === 'locks')).toMatchObject({
      found: 'advisory locks work, max_locks_per_transaction is 64',
      status: 'warning',
      remedy: expect.stringContaining('max_locks_per_transaction = 256'),
    })
  })

  describe.skipIf(clickhouseUrl === undefined)('with ClickHouse', () => {
    const list = async (statement: string) => (await fetch(clickhouseUrl!, { method: 'POST', body: statement })).text()

    it('checks dialect, inserts and deletions in a database that it removes', async () => {
      const results = await verifyCluster({ ...NONE, clickhouseUrl })
      expect(results.filter(({ status }) => status !== 'ok')).toEqual([])
      expect(outcomes(results)).toEqual({
        connection: 'ok',
        version: 'ok',
        permissions: 'ok',
        'one server': 'ok',
        clock: 'ok',
        dialect: 'ok',
        'quorum and repeated inserts': 'ok',
        deletions: 'ok',
      })
      expect(await list("show databases like 'touchstone_verify%'")).toBe('')
    })

    it('names a cluster that the server does not know, and what replicated tables lack', async () => {
      const cluster = { name: 'main', isSharded: false }
      const results = await verifyCluster({ ...NONE, clickhouseUrl, clickhouse: { cluster, asyncInserts: false } })
      expect(outcomes(results)).toMatchObject({
        replicas: 'failed',
        macros: 'failed',
        keeper: 'failed',
        tables: 'warning',
      })
      const replicas = results.find(({ check }) => check === 'replicas')
      expect(`${replicas?.found}. ${replicas?.remedy}`).toMatch(
        /no cluster "main"\. Correct TOUCHSTONE_CLICKHOUSE_CLUSTER/,
      )
    })
  })

  it.skipIf(s3Url === undefined)('checks a bucket with versions and leaves nothing in it', async () => {
    const s3 = await createBucket({ isVersioned: true })
    const results = await verifyCluster({ ...NONE, s3 })
    expect(results.map(({ check, status }) => [check, status])).toEqual([
      ['connection', 'ok'],
      ['write', 'ok'],
      ['read', 'ok'],
      ['copy', 'ok'],
      ['clock', 'ok'],
      ['delete', 'ok'],
    ])
    expect(await listVersions(s3)).toEqual([])
  })
})
