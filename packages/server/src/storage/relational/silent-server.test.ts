import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StoreProxy, startStoreProxy } from '../../testing/store-proxy.ts'
import { createDatabase } from '../../testing/test-stores.ts'
import { findLostStore, isLostConnection } from '../unavailable-store.ts'
import type { Relational } from './port.ts'
import { openPostgres } from './postgres.ts'

const server = process.env.TOUCHSTONE_TEST_POSTGRES_URL
/** More than the pool has connections, so that some wait for one. */
const AT_ONCE = 25

describe.skipIf(server === undefined)('a PostgreSQL server that accepts connections and does not answer', () => {
  let proxy: StoreProxy
  let relational: Relational
  beforeAll(async () => {
    proxy = await startStoreProxy(await createDatabase(server!))
    relational = await openPostgres(proxy.url, () => {}, { connectMs: 500, silenceMs: 200 })
  })
  afterAll(async () => {
    await proxy.restore()
    await relational.close()
    await proxy.close()
  })

  const atOnce = <Result>(work: () => Promise<Result>) => Promise.allSettled(Array.from({ length: AT_ONCE }, work))
  const select = () => relational.db.execute(sql`select 1`)
  const transact = () => relational.transaction((tx) => tx.execute(sql`select 1`))
  const lock = () =>
    relational.locks!.hold(
      ['key'],
      async () => [],
      async () => 'written',
    )

  it.each([
    ['statements', select],
    ['transactions', transact],
  ])('fails %s with its name, also those that wait for a connection, and is used again', async (_name, work) => {
    expect(await atOnce(work)).toMatchObject(Array(AT_ONCE).fill({ status: 'fulfilled' }))
    proxy.freeze()
    // The first have connections that were open before, the second open new ones.
    for (const outcome of [...(await atOnce(work)), ...(await atOnce(work))]) {
      const reason = outcome.status === 'rejected' ? outcome.reason : undefined
      expect([isLostConnection(reason), findLostStore(reason)]).toEqual([true, 'PostgreSQL'])
    }
    await proxy.restore()
    expect(await atOnce(work)).toMatchObject(Array(AT_ONCE).fill({ status: 'fulfilled' }))
  })

  it('refuses writes of runs with its name', async () => {
    expect(await lock()).toBe('written')
    proxy.freeze()
    const refusal = { code: 'UNAVAILABLE', message: expect.stringContaining('PostgreSQL') }
    await expect(lock()).rejects.toMatchObject(refusal)
    await expect(lock()).rejects.toMatchObject(refusal)
    await proxy.restore()
    expect(await lock()).toBe('written')
  })

  it('is waited for as long as it answers other connections', async () => {
    const slow = await relational.db.execute(sql`select pg_sleep(1.5), 'done' as result`)
    expect(slow).toMatchObject({ rows: [{ result: 'done' }] })
  })
})
