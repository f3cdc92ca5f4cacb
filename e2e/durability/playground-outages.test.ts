import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts'
import { isFull } from '../support/scale.ts'
import { type StartedServer, startServer } from '../support/start-server.ts'
import { type StoreProxy, startStoreProxy } from '../support/store-proxy.ts'
import { createClickHouseDatabase, createDatabase } from '../support/test-stores.ts'

const postgresUrl = process.env.TOUCHSTONE_TEST_POSTGRES_URL
const clickhouseUrl = process.env.TOUCHSTONE_TEST_CLICKHOUSE_URL
const hasStores = postgresUrl !== undefined && clickhouseUrl !== undefined
const ROWS = 80
const CONCURRENCY = 5
const AWAY_MS = 30_000

describe.runIf(hasStores && isFull)('a playground job during an outage of a store', { timeout: 300_000 }, () => {
  let dataDir: string
  let fake: FakeProvider
  let proxies: Record<'PostgreSQL' | 'ClickHouse', StoreProxy>
  let server: StartedServer
  let client: Client
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'touchstone-playground-'))
    fake = await startFakeProvider()
    proxies = {
      PostgreSQL: await startStoreProxy(await createDatabase(postgresUrl!)),
      ClickHouse: await startStoreProxy(await createClickHouseDatabase(clickhouseUrl!)),
    }
    server = await startServer({
      dataDir,
      env: {
        TOUCHSTONE_POSTGRES_URL: proxies.PostgreSQL.url,
        TOUCHSTONE_CLICKHOUSE_URL: proxies.ClickHouse.url,
        TOUCHSTONE_SECRET_KEY: randomBytes(32).toString('base64'),
      },
      timeoutMs: 110_000,
    })
    client = new Client({ apiUrl: server.url })
  }, 180_000)
  afterAll(async () => {
    await server?.kill()
    await Promise.all(Object.values(proxies ?? {}).map((proxy) => proxy.close()))
    await fake.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  it.each(['PostgreSQL', 'ClickHouse'] as const)('%s: goes on when it is back, with each row once', async (store) => {
    const provider = await client.createModelProvider({ name: store, kind: 'openai-chat', base_url: fake.url })
    const { id: dataset } = await client.createDataset(`rows of ${store}`)
    await client.createExamples(
      Array.from({ length: ROWS }, (_, n) => ({ dataset_id: dataset, inputs: { question: `${store} ${n}` } })),
    )
    const { id } = await client.createPlaygroundJob({
      dataset_id: dataset,
      name: `during an outage of ${store}`,
      variants: [
        {
          name: 'slow',
          provider_id: provider.id,
          model: 'fake-slow',
          template_format: 'f-string',
          messages: [{ role: 'user', content: 'Say {question}' }],
        },
      ],
      concurrency: CONCURRENCY,
    })
    const countDone = async () => (await client.readPlaygroundJob(id)).done
    await expect.poll(countDone, { timeout: 60_000, interval: 100 }).toBeGreaterThanOrEqual(ROWS / 8)

    await proxies[store].refuse()
    // Pause: the outage itself, longer than the repeats of one statement.
    await pause(AWAY_MS)
    await proxies[store].restore()

    await expect
      .poll(async () => client.readPlaygroundJob(id).catch((error: Error) => error.message), {
        timeout: 150_000,
        interval: 500,
      })
      .toMatchObject({ state: 'COMPLETED', total: ROWS, done: ROWS, failed: 0 })
    const job = await client.readPlaygroundJob(id)
    const rows: (string | null | undefined)[] = []
    for await (const run of client.listRuns({ projectId: job.variants[0]!.experiment_id, isRoot: true })) {
      expect(run.status).toBe('success')
      rows.push(run.reference_example_id)
    }
    expect(rows).toHaveLength(ROWS)
    expect(new Set(rows).size).toBe(ROWS)
    const calls = fake.heard.filter(({ body }) => JSON.stringify(body).includes(`Say ${store} `)).length
    console.log(`${store}: ${calls} calls of the model for ${ROWS} rows`)
    // Only calls whose response could not be kept were made again.
    expect(calls).toBeLessThanOrEqual(ROWS + CONCURRENCY)
  })
})
