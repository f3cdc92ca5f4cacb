import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inFull, isFull } from '../support/scale.ts'
import { type StartedServer, startServer } from '../support/start-server.ts'
import { type StoreProxy, startStoreProxy } from '../support/store-proxy.ts'
import { createTestBucket, s3Url } from '../support/test-bucket.ts'
import { createClickHouseDatabase, createDatabase } from '../support/test-stores.ts'
import { makeWriteWorld, type WriteWorld, writeUntil } from '../support/write-kinds.ts'
import { type CallServer, callServer, WriteLedger } from '../support/write-ledger.ts'

const postgresUrl = process.env.TOUCHSTONE_TEST_POSTGRES_URL
const clickhouseUrl = process.env.TOUCHSTONE_TEST_CLICKHOUSE_URL
const hasStores = postgresUrl !== undefined && clickhouseUrl !== undefined && s3Url !== undefined
const WRITERS = 4
/** Acknowledged writes before and after each outage. */
const WRITES = 20
/** Refused requests, after which a store comes back. Requests to S3 are repeated for 20 seconds before one is refused. */
const REFUSALS = { PostgreSQL: 12, ClickHouse: 12, S3: 2 } as const

const STORES = { PostgreSQL: /PostgreSQL/, ClickHouse: /ClickHouse/, S3: /S3/ } as const
type Store = keyof typeof STORES
const ALL = Object.keys(STORES) as Store[]

/** Reads of each kind of page; each of them may need a store that is away. */
const READS = [
  '/sessions',
  '/datasets',
  '/annotation-queues',
  '/repos',
  '/dashboards',
  '/sessions?include_stats=true',
] as const

describe.skipIf(!hasStores)('a store that is away', { timeout: 240_000 }, () => {
  let dataDir: string
  let proxies: Record<Store, StoreProxy>
  let server: StartedServer
  let world: WriteWorld
  const ledger = new WriteLedger()
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'touchstone-outages-'))
    const bucket = await createTestBucket()
    proxies = {
      PostgreSQL: await startStoreProxy(await createDatabase(postgresUrl!)),
      ClickHouse: await startStoreProxy(await createClickHouseDatabase(clickhouseUrl!)),
      S3: await startStoreProxy(s3Url!),
    }
    server = await startServer({
      dataDir,
      env: {
        ...bucket.env,
        TOUCHSTONE_S3_ENDPOINT: proxies.S3.url,
        TOUCHSTONE_POSTGRES_URL: proxies.PostgreSQL.url,
        TOUCHSTONE_CLICKHOUSE_URL: proxies.ClickHouse.url,
        TOUCHSTONE_SECRET_KEY: randomBytes(32).toString('base64'),
      },
      timeoutMs: 110_000,
    })
    world = await makeWriteWorld(callServer(server.url, ''), (key) => callServer(server.url, key))
  }, 180_000)
  afterAll(async () => {
    await server?.kill()
    await Promise.all(Object.values(proxies ?? {}).map((proxy) => proxy.close()))
    await rm(dataDir, { recursive: true, force: true })
  })

  /** Clients that write all kinds of things and read, and what they were answered while `refusals` were collected. */
  function startClients() {
    const over = new AbortController()
    const direct = callServer(server.url, world.key)
    const refusals: string[] = []
    const faults: string[] = []
    const call: CallServer = async (method, path, ...rest) => {
      const answer = await direct(method, path, ...rest)
      if (answer.status >= 500) {
        const text = `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`
        if (answer.status === 503) refusals.push(text)
        else faults.push(text)
      }
      return answer
    }
    const read = async () => {
      for (let at = 0; !over.signal.aborted; at++) {
        const { status } = await call('GET', READS[at % READS.length]!)
        // Pause: a client that is refused does not ask again at once.
        if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    const writers = Array.from({ length: WRITERS }, (_, at) => writeUntil(over.signal, { call, world, ledger }, at * 5))
    const all = Promise.all([...writers, read()])
    return {
      refusals,
      faults,
      /** Waits, unless a client fails. */
      until: (condition: () => boolean) =>
        Promise.race([all, expect.poll(condition, { timeout: 90_000, interval: 20 }).toBe(true)]),
      async end() {
        over.abort()
        await all
      },
    }
  }

  /** A job of several pages, which needs all stores. */
  async function startJob(): Promise<string> {
    const call = callServer(server.url, world.key)
    const { status, body } = await call('POST', '/bulk', { action: 'export', session: [world.projectId] })
    expect(status, JSON.stringify(body)).toBe(200)
    return body.job.id
  }
  const readJob = async (id: string) => (await callServer(server.url, world.key)('GET', `/jobs/${id}`)).body

  it.for(inFull<Store[]>(['ClickHouse'], ALL))(
    '%s: is named by each refusal, loses nothing, and is used again',
    async (store) => {
      const clients = startClients()
      const start = ledger.size
      await clients.until(() => ledger.size > start + WRITES)

      const job = await startJob()
      await proxies[store].refuse()
      await clients.until(() => clients.refusals.length >= REFUSALS[store])
      const refusals = [...clients.refusals]
      await proxies[store].restore()

      const then = ledger.size
      await clients.until(() => ledger.size > then + WRITES)
      await clients.end()
      expect(clients.faults).toEqual([])
      expect(refusals.filter((text) => !STORES[store].test(text))).toEqual([])
      const { broken, asked } = await ledger.findBroken(callServer(server.url, world.key))
      expect(broken).toEqual([])
      await expect
        .poll(() => readJob(job), { timeout: 90_000, interval: 200 })
        .toMatchObject({ status: 'done', error: null })
      console.log(`${store}: ${refusals.length} refusals, ${asked} acknowledged writes are there`)
    },
  )

  // Each waits for seconds.
  it.runIf(isFull).for(ALL)('%s: stands still for seconds, and its requests go on', async (store) => {
    const clients = startClients()
    const start = ledger.size
    await clients.until(() => ledger.size > start + WRITES)
    proxies[store].freeze()
    // Pause: requests that need the store wait for it meanwhile.
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    await proxies[store].restore()
    const then = ledger.size
    await clients.until(() => ledger.size > then + WRITES)
    await clients.end()
    expect(clients.faults).toEqual([])
    expect((await ledger.findBroken(callServer(server.url, world.key), { only: 'new' })).broken).toEqual([])
  })
  // Each waits until the time limits of the clients of the stores have passed, more than a minute for ClickHouse.
  it.runIf(isFull).for(ALL)('%s: stands still for good, is named by refusals, and is used again', async (store) => {
    const clients = startClients()
    const start = ledger.size
    await clients.until(() => ledger.size > start + WRITES)
    proxies[store].freeze()
    await clients.until(() => clients.refusals.length >= 2)
    const refusals = [...clients.refusals]
    if (store !== 'S3') {
      const { status, body } = await callServer(server.url, '')('GET', '/ready')
      expect([status, JSON.stringify(body)]).toEqual([503, expect.stringMatching(/store (failed|did not answer)/)])
    }
    await proxies[store].restore()
    const then = ledger.size
    await clients.until(() => ledger.size > then + WRITES)
    await clients.end()
    expect(clients.faults).toEqual([])
    expect(refusals.filter((text) => !STORES[store].test(text))).toEqual([])
    expect((await ledger.findBroken(callServer(server.url, world.key), { only: 'new' })).broken).toEqual([])
  })
})
