import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@touchstone/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FAKE_TOKENS, type FakeProvider, startFakeProvider } from '../support/fake-provider.ts'
import { inFull } from '../support/scale.ts'
import { startServer } from '../support/start-server.ts'

const ROWS = inFull(150, 500)
const CONCURRENCY = inFull(10, 20)
const KEY = 'sk-durable-secret-0123456789'
const PRICE = { prompt_cost: '0.001', completion_cost: '0.01' }
const COST = FAKE_TOKENS.prompt * 0.001 + FAKE_TOKENS.completion * 0.01
/** Calls that the first limit of money pays for. */
const PAID = inFull(90, 300)

describe('a server that is killed in the middle of a playground job', () => {
  let dataDir: string
  let fake: FakeProvider
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'touchstone-playground-'))
    fake = await startFakeProvider({ key: KEY })
  })
  afterAll(async () => {
    await fake.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  const start = async () => {
    const server = await startServer({ dataDir })
    const client = new Client({ apiUrl: server.url })
    const reach = async (id: string, done: number) => {
      const read = async () => (await client.readPlaygroundJob(id)).done
      await expect.poll(read, { timeout: 120_000, interval: 100 }).toBeGreaterThanOrEqual(done)
    }
    return { server, client, reach }
  }

  it('completes it with each row once, within its limit of money', { timeout: 400_000 }, async () => {
    const first = await start()
    await first.client.createModelPrice({ name: 'fake', match_pattern: '^fake', provider: 'fake', ...PRICE })
    const provider = await first.client.createModelProvider({
      name: 'Fake',
      kind: 'openai-chat',
      base_url: fake.url,
      key: KEY,
      provider: 'fake',
    })
    const { id: dataset } = await first.client.createDataset('rows')
    await first.client.createExamples(
      Array.from({ length: ROWS }, (_, n) => ({ dataset_id: dataset, inputs: { question: `question ${n}` } })),
    )
    const { id } = await first.client.createPlaygroundJob({
      dataset_id: dataset,
      name: 'durable',
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
      limits: { max_cost_usd: PAID * COST },
    })
    await first.reach(id, ROWS / 8)
    await first.server.kill()

    const second = await start()
    await second.reach(id, ROWS / 3)
    await second.server.kill()

    const third = await start()
    const paused = await third.client.waitForPlaygroundJob(id)
    expect(paused).toMatchObject({ state: 'PAUSED', reason: expect.stringContaining('stopped unexpectedly twice') })
    await third.client.resumePlaygroundJob(id)
    const stopped = await third.client.waitForPlaygroundJob(id)
    expect(stopped).toMatchObject({ state: 'STOPPED', reason: expect.stringContaining('US dollars') })
    expect(stopped.done).toBeGreaterThanOrEqual(PAID)
    expect(stopped.done).toBeLessThanOrEqual(PAID + 1)

    await third.client.resumePlaygroundJob(id, { max_cost_usd: ROWS })
    await third.reach(id, PAID + ROWS / 10)
    await third.server.kill()

    const last = await start()
    const job = await last.client.waitForPlaygroundJob(id)
    expect(job).toMatchObject({ state: 'COMPLETED', total: ROWS, done: ROWS, failed: 0 })
    expect(job.cost).toBeCloseTo(ROWS * COST)
    const rows: (string | null | undefined)[] = []
    const asked = { projectId: job.variants[0]!.experiment_id, isRoot: true }
    for await (const run of last.client.listRuns(asked)) {
      expect(run.status).toBe('success')
      rows.push(run.reference_example_id)
    }
    expect(rows).toHaveLength(ROWS)
    expect(new Set(rows).size).toBe(ROWS)
    // Only calls under way at a kill were made again.
    expect(fake.heard.length).toBeLessThanOrEqual(ROWS + 3 * CONCURRENCY)
    for (const { server } of [first, second, third, last]) expect(server.output()).not.toContain(KEY)
    await last.server.stop()
  })
})
