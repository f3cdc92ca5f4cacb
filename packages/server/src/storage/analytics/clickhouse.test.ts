import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startStoreProxy } from '../../testing/store-proxy.ts'
import { findLostStore, isLostConnection } from '../unavailable-store.ts'
import { openClickHouse } from './clickhouse.ts'
import { sql } from './sql.ts'

/** Commands that the server received, with their settings. */
const commands: { statement: string; settings: URLSearchParams }[] = []

/** Number of inserts that the server reads and does not answer. */
let unanswered = 0

/** Id of the statement that the server does not answer. */
let stuckQueryId: string | undefined

/** A server that accepts everything and has no rows. */
const server = createServer(async (request, response) => {
  const settings = new URL(request.url ?? '', 'http://server').searchParams
  const statement = `${settings.get('query') ?? ''}${await text(request)}`
  if (/^\s*(alter|create|insert|kill)\b/.test(statement)) commands.push({ statement, settings })
  if (statement.startsWith('select stuck')) {
    stuckQueryId = settings.get('query_id') ?? undefined
    return
  }
  if (statement.startsWith('insert into runs ') && unanswered-- > 0) return request.socket.destroy()
  response.end('[\n\n]\n')
})

let url: string
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/runs`
})
afterAll(() => server.close())

describe('a migration on a ClickHouse server', () => {
  it('keeps its connection open, as statements over all traces take long', async () => {
    const analytics = await openClickHouse(url)
    await analytics.close()
    expect(commands.some(({ statement }) => statement.includes('insert into trace_runs'))).toBe(true)
    for (const { settings } of commands) {
      expect(settings.get('send_progress_in_http_headers')).toBe('1')
      expect(Number(settings.get('http_headers_progress_interval_ms'))).toBeLessThan(60_000)
    }
  })
})

describe('an insert on a ClickHouse server', () => {
  const insertsOf = (table: string) => commands.filter(({ statement }) => statement.startsWith(`insert into ${table} `))

  it('is sent again with the same token when its answer was lost, and never with the token of another', async () => {
    const analytics = await openClickHouse(url)
    commands.length = 0
    unanswered = 1
    await analytics.insert('runs', [{ json: '{"id":"a"}' }])
    await analytics.insert('runs', [{ json: '{"id":"a"}' }])
    const inserts = insertsOf('runs')
    expect(inserts.map(({ statement }) => statement)).toEqual(Array(3).fill(inserts[0]!.statement))
    const [first, again, other] = inserts.map(({ settings }) => settings.get('insert_deduplication_token'))
    expect(again).toBe(first)
    expect(other).not.toBe(first)
    unanswered = 3
    await expect(analytics.insert('runs', [{ json: '{"id":"b"}' }])).rejects.toThrow()
    unanswered = 0
    await analytics.close()
  })

  it.each([
    [{}, { async_insert: '0', wait_for_async_insert: '1', insert_quorum: null }],
    [
      { asyncInserts: true },
      { async_insert: '1', wait_for_async_insert: '1', async_insert_busy_timeout_max_ms: '100' },
    ],
    [
      { cluster: { name: 'main', isSharded: false } },
      { async_insert: '0', insert_quorum: 'auto', insert_quorum_parallel: '1', distributed_foreground_insert: null },
    ],
    [{ cluster: { name: 'main', isSharded: true } }, { insert_quorum: 'auto', distributed_foreground_insert: '1' }],
  ])('waits until its rows are durable, with %j', async (options, expected) => {
    const analytics = await openClickHouse(url, options)
    commands.length = 0
    await analytics.insert('feedback', [{ json: '{}' }])
    const { settings } = insertsOf('feedback')[0]!
    for (const [name, value] of Object.entries(expected)) expect([name, settings.get(name)]).toEqual([name, value])
    expect(settings.get('deduplicate_blocks_in_dependent_materialized_views')).toBe('1')
    await analytics.close()
  })
})

describe('a statement of a user on a ClickHouse server', () => {
  it('that is not answered in its time is killed, and the connection reads on', async () => {
    const analytics = await openClickHouse(url)
    commands.length = 0
    const stuck = analytics.queryTable(sql`select stuck`, {}, { seconds: 0.1, tables: [] })
    await expect(stuck).rejects.toMatchObject({ code: '159' })
    await expect.poll(() => commands.map(({ statement }) => statement)).toHaveLength(1)
    expect(stuckQueryId).toBeDefined()
    expect(commands[0]!.statement).toContain(`kill query where query_id = '${stuckQueryId}'`)
    expect(await analytics.queryTexts(sql`select 1`)).toEqual([])
    await analytics.close()
  })
})

describe('a ClickHouse server that accepts connections and does not answer', () => {
  /** More than there are connections, so that some wait for one. */
  const AT_ONCE = 25
  const limits = { connectMs: 300, responseMs: 300 }

  it('fails reads and writes with its name, also those that wait for a connection, and is used again', async () => {
    const proxy = await startStoreProxy(url)
    const analytics = await openClickHouse(proxy.url, { limits })
    const select = () => analytics.queryTexts(sql`select 1`)
    const selectAtOnce = () => Promise.allSettled(Array.from({ length: AT_ONCE }, select))
    try {
      expect(await selectAtOnce()).toMatchObject(Array(AT_ONCE).fill({ status: 'fulfilled' }))
      proxy.freeze()
      for (const outcome of await selectAtOnce()) {
        const reason = outcome.status === 'rejected' ? outcome.reason : undefined
        expect([isLostConnection(reason), findLostStore(reason)]).toEqual([true, 'ClickHouse'])
      }
      const refusal = { code: 'UNAVAILABLE', message: expect.stringMatching(/^ClickHouse is not answering/) }
      await expect(analytics.insert('runs', [{ json: '{"id":"a"}' }])).rejects.toMatchObject(refusal)
      await proxy.restore()
      expect(await selectAtOnce()).toMatchObject(Array(AT_ONCE).fill({ status: 'fulfilled' }))
    } finally {
      await analytics.close()
      await proxy.close()
    }
  })

  it('is given up when it does not begin to encrypt', async () => {
    const proxy = await startStoreProxy(url)
    proxy.freeze()
    const opening = openClickHouse(proxy.url.replace('http:', 'https:'), { limits: { ...limits, responseMs: 60_000 } })
    await expect(opening).rejects.toThrow(/the host did not answer\. Check the address, the network and the firewall/)
    await proxy.close()
  })

  it('does not fail the requests behind a slow statement', async () => {
    const analytics = await openClickHouse(url, { limits })
    const stuck = Array.from({ length: 10 }, () => analytics.queryTexts(sql`select stuck`))
    const behind = Array.from({ length: AT_ONCE }, () => analytics.queryTexts(sql`select 1`))
    expect((await Promise.allSettled(stuck)).map(({ status }) => status)).toEqual(Array(10).fill('rejected'))
    expect(await Promise.all(behind)).toEqual(Array(AT_ONCE).fill([]))
    await analytics.close()
  })
})
